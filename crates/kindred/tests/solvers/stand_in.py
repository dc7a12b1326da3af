#!/usr/bin/env python3
"""Stands in for a solver: speaks as it does, through Z3, and fails as told.

STAND_IN_VERSION is what it says of itself; STAND_IN_FAULT what it does at the
question whose number is STAND_IN_AT.
"""

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


def main():
    if any(arg.lstrip("-") == "version" for arg in sys.argv[1:]):
        print(os.environ["STAND_IN_VERSION"])
        return
    fault = os.environ.get("STAND_IN_FAULT", "")
    at = int(os.environ.get("STAND_IN_AT", "0"))
    z3 = subprocess.Popen(["z3", "-in", "-smt2"], stdin=subprocess.PIPE)
    queries = 0
    for line in sys.stdin.buffer:
        if line.startswith((b"(check-sat", b"(get-")):
            queries += 1
            if queries == at:
                z3.kill()
                z3.wait()
                fail(fault)
        if line.startswith(b"(set-logic"):
            continue
        z3.stdin.write(line)
        z3.stdin.flush()
    z3.stdin.close()
    z3.wait()


main()
