fn main() {
    if cfg!(feature = "vendored") {
        z3_link::provide_vendored();
    } else {
        z3_link::provide();
    }
}
