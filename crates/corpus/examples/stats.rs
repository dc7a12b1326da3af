use corpus::mutation_fuzz::*;
use std::collections::BTreeMap;
fn main() {
    std::thread::Builder::new()
        .stack_size(syntax::STACK_SIZE)
        .spawn(move || {
            let f = Fuzzer::new(&all_models(), 1);
            let mut m: BTreeMap<String, usize> = BTreeMap::new();
            for i in 0..10000 {
                let input = f.input(i);
                let loaded = syntax::load(
                    "x.lus",
                    std::path::Path::new("x.lus"),
                    input.text.clone(),
                    &[],
                );
                let key = match loaded.errors.first() {
                    Some(e) => e.code.as_str().to_string(),
                    None => {
                        let c = lang::check(
                            &loaded.program,
                            &lang::Options {
                                strict: input.strict,
                            },
                        );
                        match c.diagnostics.iter().find(|d| d.is_error()) {
                            Some(e) => e.code.as_str().to_string(),
                            None => "ok".into(),
                        }
                    }
                };
                *m.entry(key).or_default() += 1;
            }
            let mut v: Vec<_> = m.into_iter().collect();
            v.sort_by_key(|x| std::cmp::Reverse(x.1));
            println!("{v:?}");
        })
        .unwrap()
        .join()
        .unwrap();
}
