use std::path::Path;
fn main() {
    let strict = std::env::var("STRICT").is_ok();
    let mut n = 0; let mut bad = 0;
    for f in std::env::args().skip(1) {
        let text = String::from_utf8_lossy(&std::fs::read(&f).unwrap()).into_owned();
        let t = std::time::Instant::now();
        let l = syntax::load(&f, Path::new(&f), text.clone(), &[]);
        let mut ds = l.errors;
        if ds.is_empty() { let c = lang::check(&l.program, &lang::Options{strict}); ds = c.diagnostics; }
        let e = t.elapsed();
        if e.as_millis() > 100 { println!("{f}: {e:?}"); }
        n += 1;
        ds.retain(|d| d.is_error());
        if !ds.is_empty() {
            bad += 1;
            let d = &ds[0];
            let p = d.span.map(|s| l.sources.position(s));
            println!("{f}: {} {} {p:?} {} ({} errors)", d.code.class().kind2_name(), d.code.as_str(), d.message, ds.len());
        } else { println!("{f}: Ok"); }
    }
    println!("{n} files, {bad} bad");
}
