//! Diagnostics for people: the source line, a caret, and what to do.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use syntax::{Diagnostic, Severity, SourceMap, Span};

/// A diagnostic with the lines of the source that it speaks of.
pub fn render(diagnostic: &Diagnostic, sources: &SourceMap, color: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level
        .primary_title(&diagnostic.message)
        .id(diagnostic.code.as_str());
    let mut group = Group::with_title(title);
    if let Some(span) = diagnostic.span {
        let label = diagnostic.label.as_deref().unwrap_or("");
        let mut snippet = snippet(sources, span);
        snippet = snippet.annotation(
            AnnotationKind::Primary
                .span(range(sources, span))
                .label(label),
        );
        for (related, words) in &diagnostic.related {
            if related.file == span.file {
                let range = range(sources, *related);
                snippet = snippet.annotation(AnnotationKind::Context.span(range).label(words));
            }
        }
        group = group.element(snippet);
        for (related, words) in &diagnostic.related {
            if related.file != span.file {
                let range = range(sources, *related);
                let other = self::snippet(sources, *related)
                    .annotation(AnnotationKind::Context.span(range).label(words));
                group = group.element(other);
            }
        }
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help));
    }
    let renderer = match color {
        true => Renderer::styled(),
        false => Renderer::plain(),
    };
    renderer.render(&[group])
}

fn snippet<'s, T: Clone>(sources: &'s SourceMap, span: Span) -> Snippet<'s, T> {
    let file = sources.file(span.file);
    Snippet::source(&file.text).path(&file.name).fold(true)
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
