//! Diagnostics for people: the source line, a caret, and what to do.

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use syntax::{Diagnostic, FileId, Severity, SourceMap, Span, printable, printable_name};

use crate::escape::source_line;

/// A diagnostic with the lines of the source that it speaks of.
pub fn render(diagnostic: &Diagnostic, sources: &SourceMap, color: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level
        .primary_title(printable(&diagnostic.message))
        .id(diagnostic.code.as_str());
    let mut group = Group::with_title(title);
    if let Some(span) = diagnostic.span {
        let label = diagnostic.label.as_deref().unwrap_or("");
        let mut marks = vec![(AnnotationKind::Primary, span, label)];
        let related = diagnostic.related.iter();
        let (here, elsewhere): (Vec<_>, Vec<_>) = related
            .map(|(span, words)| (AnnotationKind::Context, *span, words.as_str()))
            .partition(|(_, related, _)| related.file == span.file);
        marks.extend(here);
        group = group.element(snippet(sources, &marks));
        for mark in elsewhere {
            group = group.element(snippet(sources, &[mark]));
        }
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(printable(help)));
    }
    let renderer = match color {
        true => Renderer::styled(),
        false => Renderer::plain(),
    };
    renderer.render(&[group])
}

/// The lines of a file from the first to the last mark; the rest would only
/// take time.
fn snippet<'s>(
    sources: &'s SourceMap,
    marks: &[(AnnotationKind, Span, &'s str)],
) -> Snippet<'s, Annotation<'s>> {
    let file = marks.first().map_or(FileId::default(), |mark| mark.1.file);
    let text = sources.file(file).text.as_str();
    let ranges = || marks.iter().map(|(_, span, _)| range(sources, *span));
    let start = ranges().map(|range| range.start).min().unwrap_or(0);
    let end = ranges().map(|range| range.end).max().unwrap_or(0);
    // The end of the file is shown behind the last line, not below it.
    let start = floor(text, start.min(text.len().saturating_sub(1)));
    let start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
    let line = sources.position(Span::new(file, start, start)).line;
    let annotations = marks.iter().zip(ranges()).map(|((kind, _, words), range)| {
        let range = range.start - start..range.end - start;
        kind.span(range).label(printable(words))
    });
    Snippet::source(source_line(&text[start..end]))
        .line_start(line)
        .path(printable_name(&sources.file(file).name))
        .fold(true)
        .annotations(annotations)
}

/// The bytes of the span; only the first line of one that spans several.
fn range(sources: &SourceMap, span: Span) -> std::ops::Range<usize> {
    let text = &sources.file(span.file).text;
    let start = floor(text, span.start as usize);
    let end = floor(text, (span.end as usize).max(start));
    let line = text[start..end].find('\n').map_or(end, |at| start + at);
    start..line
}

fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
