fn main() {
    let path = std::env::args().nth(1).unwrap();
    let text = corpus::files::read(std::path::Path::new(&path));
    let p = syntax::parse_without_positions(&text);
    let printed = syntax::print::program(&p.program);
    let again = syntax::parse(syntax::FileId::default(), &printed);
    for e in again.errors {
        let s = e.span.unwrap();
        println!(
            "{} at ...{}",
            e.message,
            &printed
                [(s.start as usize).saturating_sub(80)..(s.end as usize + 40).min(printed.len())]
        );
    }
}
