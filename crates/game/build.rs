fn main() {
    z3_link::inherit();
}
