fn main() {
    let path = std::env::args().nth(1).unwrap();
    let text = corpus::files::read(std::path::Path::new(&path));
    let loaded = syntax::load("x.lus", std::path::Path::new("x.lus"), text.clone(), &[]);
    let checked = lang::check(&loaded.program, &lang::Options::default());
    let t = std::time::Instant::now();
    let n = 100;
    for d in checked.diagnostics.iter().take(n) {
        report::render(d, &loaded.sources, false);
    }
    println!(
        "{} diags, {} bytes, {:?} each",
        checked.diagnostics.len(),
        text.len(),
        t.elapsed() / n as u32
    );
}
