#!/usr/bin/env python3
"""Stands in for a solver: speaks as it does, through a real one, and fails as told.

STAND_IN_VERSION is what it says of itself, and STAND_IN_SOLVER the command of the
real one, Z3 by default. STAND_IN_FAULT is what it does at the question whose number
is STAND_IN_AT. The file STAND_IN_MARK is there when that has happened; with
STAND_IN_ONCE, it happens to the first process only that comes so far. STAND_IN_LIE
is what it answers to all questions, with values out of the air.
"""

import itertools
import os
import subprocess
import sys
import time

FAULTS = {
    "garble": b"\x00\xff(((]] sat unsat\n",
    "word": b"perhaps\n",
    "error": b'(error "out of order")\n',
    "cut": b"((x 1) (y",
}


def fail(fault):
    if fault == "kill":
        os._exit(9)
    if fault == "close":
        os.close(1)
    elif fault == "flood":
        try:
            while True:
                os.write(1, b"(" * 65536)
        except OSError:
            os._exit(1)
    elif fault in FAULTS:
        os.write(1, FAULTS[fault])
    while True:
        time.sleep(60)


def lie(answer):
    """Asks no one."""
    made_up = itertools.cycle(["0", "true", "1", "false", "(- 3)"])
    for line in sys.stdin:
        if line.startswith("(check-sat"):
            print(answer)
        elif line.startswith("(get-value"):
            print("((x %s))" % next(made_up))
        elif line.startswith("(get-qe"):
            print("true")
        elif line.startswith("(get-"):
            print("()")
        elif line.startswith("(echo"):
            print(line[5:].strip(" )\n"))
        sys.stdout.flush()


def is_due():
    """Is it this process that is to fail?"""
    mark = os.environ.get("STAND_IN_MARK")
    if not mark:
        return True
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
        return True
    except FileExistsError:
        return "STAND_IN_ONCE" not in os.environ


def main():
    if any(arg.lstrip("-") == "version" for arg in sys.argv[1:]):
        print(os.environ["STAND_IN_VERSION"])
        return
    if "STAND_IN_LIE" in os.environ:
        lie(os.environ["STAND_IN_LIE"])
        return
    fault = os.environ.get("STAND_IN_FAULT", "")
    at = int(os.environ.get("STAND_IN_AT", "0"))
    command = os.environ.get("STAND_IN_SOLVER", "z3 -in -smt2").split()
    solver = subprocess.Popen(command, stdin=subprocess.PIPE)
    queries = 0
    for line in sys.stdin.buffer:
        if line.startswith((b"(check-sat", b"(get-", b"(apply")):
            queries += 1
            if queries == at and is_due():
                solver.kill()
                solver.wait()
                fail(fault)
        if line.startswith(b"(set-logic") and command[0] == "z3":
            continue
        solver.stdin.write(line)
        solver.stdin.flush()
    solver.stdin.close()
    solver.wait()


main()
