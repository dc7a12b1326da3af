use std::time::Instant;
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let text = corpus::files::read(std::path::Path::new(&path));
    std::thread::Builder::new()
        .stack_size(syntax::STACK_SIZE)
        .spawn(move || {
            let t = Instant::now();
            let loaded = syntax::load("x.lus", std::path::Path::new("x.lus"), text.clone(), &[]);
            println!("load {:?} {} errors", t.elapsed(), loaded.errors.len());
            let t = Instant::now();
            for d in loaded.errors.iter().take(20) {
                println!(
                    "{}",
                    report::render(d, &loaded.sources, false)
                        .lines()
                        .map(|l| l.chars().take(150).collect::<String>())
                        .collect::<Vec<_>>()
                        .join("\n")
                );
            }
            if loaded.errors.is_empty() {
                let checked = lang::check(&loaded.program, &lang::Options::default());
                println!(
                    "check {:?} {} diagnostics",
                    t.elapsed(),
                    checked.diagnostics.len()
                );
                let t = Instant::now();
                for d in checked.diagnostics.iter().take(20) {
                    println!(
                        "{}",
                        report::render(d, &loaded.sources, false)
                            .lines()
                            .map(|l| l.chars().take(150).collect::<String>())
                            .collect::<Vec<_>>()
                            .join("\n")
                    );
                }
                println!("render {:?}", t.elapsed());
            }
            let t = Instant::now();
            let r = corpus::mutation_fuzz::run(&corpus::mutation_fuzz::Input {
                text,
                strict: false,
            });
            println!("all {:?} {:?}", t.elapsed(), r);
        })
        .unwrap()
        .join()
        .unwrap();
}
