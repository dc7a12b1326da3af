//! A cactus plot: how many models are solved within a time, as an SVG.

use std::fmt::Write;

/// The times of the models that someone solved.
pub struct Curve {
    pub name: String,
    pub colour: &'static str,
    pub seconds: Vec<f64>,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const MARGIN: f64 = 50.0;
/// The shortest time that is shown.
const LEAST: f64 = 0.01;

/// The plot, with time on a logarithmic scale up to the limit.
pub fn cactus(title: &str, curves: &[Curve], limit: f64) -> String {
    let most = curves.iter().map(|curve| curve.seconds.len()).max();
    let most = most.unwrap_or(0).max(1) as f64;
    let x = |count: usize| MARGIN + (WIDTH - 2.0 * MARGIN) * count as f64 / most;
    let y = |seconds: f64| {
        let part = (seconds.max(LEAST) / LEAST).ln() / (limit / LEAST).ln();
        HEIGHT - MARGIN - (HEIGHT - 2.0 * MARGIN) * part
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
         <text x=\"{MARGIN}\" y=\"20\" font-size=\"14\">{title}</text>\n"
    );
    let mut tick = LEAST;
    while tick <= limit {
        let at = y(tick);
        let right = WIDTH - MARGIN;
        // Writing to a string cannot fail.
        let _ = writeln!(
            svg,
            "<line x1=\"{MARGIN}\" y1=\"{at:.1}\" x2=\"{right}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>\n\
             <text x=\"8\" y=\"{:.1}\">{tick} s</text>",
            at + 4.0
        );
        tick *= 10.0;
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\">models solved: {most}</text>",
        WIDTH - MARGIN - 130.0,
        HEIGHT - 15.0
    );
    for (at, curve) in curves.iter().enumerate() {
        let mut seconds = curve.seconds.clone();
        seconds.sort_by(f64::total_cmp);
        let points = seconds.iter().enumerate();
        let points: Vec<String> = points
            .map(|(count, seconds)| format!("{:.1},{:.1}", x(count + 1), y(*seconds)))
            .collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" fill=\"{}\">{} ({})</text>",
            points.join(" "),
            curve.colour,
            MARGIN + 10.0,
            MARGIN + 16.0 * at as f64,
            curve.colour,
            curve.name,
            seconds.len()
        );
    }
    svg.push_str("</svg>\n");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_go_up_and_to_the_right() {
        let curve = Curve {
            name: "k".into(),
            colour: "red",
            seconds: vec![30.0, 0.01],
        };
        let svg = cactus("t", &[curve], 30.0);
        assert!(svg.contains("points=\"320.0,350.0 590.0,50.0\""), "{svg}");
    }
}
