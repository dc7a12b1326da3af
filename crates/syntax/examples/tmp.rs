use std::path::Path;
fn main() {
    let mut n = 0; let mut bad = 0; let mut diff = 0;
    for f in std::env::args().skip(1) {
        let text = String::from_utf8_lossy(&std::fs::read(&f).unwrap()).into_owned();
        let t = std::time::Instant::now();
        let l = syntax::load(&f, Path::new(&f), text.clone(), &[]);
        let e = t.elapsed();
        if e.as_millis() > 100 { println!("{f}: {e:?}"); }
        n += 1;
        if !l.errors.is_empty() {
            bad += 1;
            let d = &l.errors[0];
            let p = d.span.map(|s| l.sources.position(s));
            println!("{f}: {p:?} {}", d.message);
            continue;
        }
        let a = syntax::parse_without_positions(&text).program;
        let s = syntax::print::program(&a);
        let b = syntax::parse_without_positions(&s);
        if !b.errors.is_empty() || a != b.program { diff += 1; println!("DIFF {f} {:?}", b.errors.first()); 
          if std::env::var("SHOW").is_ok() { println!("{s}"); } }
    }
    println!("{n} files, {bad} bad, {diff} differ");
}
