//! The page and the table of a traceability matrix, with names that are easy to
//! get wrong.

use std::path::Path;

use expect_test::expect;
use quick_xml::Reader;
use quick_xml::events::Event;
use results::{ElementCategory, ElementReport, Matrix, Need, Row};
use syntax::{SourceMap, Span};

const TEXT: &str = "a = 1 < 2 & \"b\";\nb = f(c);\nd = 0; -- €\n";
const OTHER: &str = "contract <&> ;";

/// The matrix of a program of two files; a call stands in an equation.
fn matrix() -> (Matrix, SourceMap) {
    let mut sources = SourceMap::default();
    let main = sources.add("m.lus".to_owned(), Path::new("m.lus"), TEXT.to_owned());
    let other = sources.add("<o>.lus".to_owned(), Path::new("o.lus"), OTHER.to_owned());
    let mut rows = Vec::new();
    let mut row = |(file, text): (_, &str), what: &str, category, needs: &[Need]| {
        let start = text.find(what).expect("it is there");
        let span = Span::new(file, start, start + what.len());
        rows.push(Row {
            element: ElementReport {
                category,
                name: format!("\"{what}\", of <m>"),
                node: "top".to_owned(),
                file: "m.lus".to_owned(),
                position: sources.position(span),
            },
            span,
            needs: needs.to_vec(),
        });
    };
    use ElementCategory::*;
    use Need::*;
    row(
        (main, TEXT),
        "a = 1 < 2 & \"b\";",
        Equation,
        &[Must, Irrelevant],
    );
    row((main, TEXT), "b = f(c);", Equation, &[May, Must]);
    row((main, TEXT), "f(c)", NodeCall, &[May, Open]);
    row((main, TEXT), "d = 0;", Equation, &[Irrelevant, Irrelevant]);
    row((other, OTHER), "<&>", Guarantee, &[May, May]);
    let properties = vec!["<script>alert(1)</script>".to_owned(), "a, b".to_owned()];
    let top = "top".to_owned();
    (
        Matrix {
            top,
            properties,
            rows,
        },
        sources,
    )
}

/// The sources that a page shows, and the pieces that have a colour, each behind
/// its classes.
fn shown(page: &str) -> (Vec<String>, Vec<String>) {
    let mut reader = Reader::from_str(page);
    let mut sections: Vec<String> = Vec::new();
    let (mut inside, mut numbered) = (false, false);
    let mut coloured: Vec<(String, String)> = Vec::new();
    let mut class = None;
    loop {
        let text = match reader.read_event().expect("a page that is well formed") {
            Event::Eof => break,
            Event::Start(tag) if tag.name().as_ref() == "pre" => {
                inside = true;
                sections.push(String::new());
                continue;
            }
            Event::End(tag) if tag.name().as_ref() == "pre" => {
                inside = false;
                continue;
            }
            Event::Start(tag) if tag.name().as_ref() == "span" && inside => {
                let own = tag.try_get_attribute("class").unwrap().unwrap();
                let own = own.value.into_owned();
                numbered = own == "number";
                class = (!numbered).then_some(own);
                continue;
            }
            Event::End(tag) if tag.name().as_ref() == "span" => {
                (numbered, class) = (false, None);
                continue;
            }
            Event::Text(text) => text.to_string(),
            Event::GeneralRef(name) => match name.as_ref() {
                "lt" => "<".to_owned(),
                "gt" => ">".to_owned(),
                "amp" => "&".to_owned(),
                "quot" => "\"".to_owned(),
                "apos" => "'".to_owned(),
                "#160" => " ".to_owned(),
                other => panic!("{other:?}"),
            },
            _ => continue,
        };
        if inside && !numbered {
            let section = sections.last_mut().expect("inside of one");
            section.push_str(&text);
            match (&class, coloured.last_mut()) {
                (Some(class), Some((own, all))) if own == class => all.push_str(&text),
                (Some(class), _) => coloured.push((class.clone(), text)),
                (None, _) => coloured.push((String::new(), String::new())),
            }
        }
    }
    coloured.retain(|(class, _)| !class.is_empty());
    let coloured = coloured.into_iter();
    let coloured = coloured.map(|(class, text)| format!("{class}: {text}"));
    (sections, coloured.collect())
}

#[test]
fn the_page_shows_the_whole_source() {
    let (matrix, sources) = matrix();
    let page = report::page(&matrix, &sources);
    assert!(!page.contains("<script"), "{page}");
    let (sections, coloured) = shown(&page);
    assert_eq!(sections, [TEXT, OTHER]);
    expect![[r#"
        p0-must p1-must p2-irrelevant: a = 1 < 2 & "b";
        p0-must p1-may p2-must: b = 
        p0-may p1-may p2-unknown: f(c)
        p0-must p1-may p2-must: ;
        p0-irrelevant p1-irrelevant p2-irrelevant: d = 0;
        p0-may p1-may p2-may: <&>"#]]
    .assert_eq(&coloured.join("\n"));
}

#[test]
fn the_table_is_quoted() {
    let (matrix, _) = matrix();
    expect![[r#"
        node,category,element,file,line,column,<script>alert(1)</script>,"a, b"
        top,equation,"""a = 1 < 2 & ""b"";"", of <m>",m.lus,1,1,must,irrelevant
        top,equation,"""b = f(c);"", of <m>",m.lus,2,1,may,must
        top,nodeCall,"""f(c)"", of <m>",m.lus,2,5,may,unknown
        top,equation,"""d = 0;"", of <m>",m.lus,3,1,irrelevant,irrelevant
        top,guarantee,"""<&>"", of <m>",m.lus,1,10,may,may
    "#]]
    .assert_eq(&report::matrix_csv(&matrix));
    let summary = "Of 5 elements 2 are MUST, 2 MAY and 1 irrelevant to all properties";
    assert_eq!(matrix.summary(), summary);
}
