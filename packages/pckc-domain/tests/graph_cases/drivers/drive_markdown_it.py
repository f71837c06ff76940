"""Uses markdown-it: every block and inline rule, plug-ins of the core, and the tree of tokens."""

# ruff: noqa: ARG005, S112, W291  # a run of everything, for its calls

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

TEXT = """# Title

Setext
======

A *paragraph* with **strong**, `code`, [link](http://a.b "t"), ![image](x.png), <http://auto.link>, a\\*b &amp; c  
hard break ~~gone~~ and [ref] and <b>html</b> www.example.com "quotes" (c) ...

> quote
> > deeper

- a
- b
   1. one
   2. two

    indented code

```python
fenced
```

| a | b |
|---|:-:|
| 1 | 2 |

---

<div>
html
</div>

[ref]: http://x.y 'title'
"""
for preset in ("commonmark", "default", "zero", "js-default", "gfm-like"):
    try:
        parser = MarkdownIt(preset, {"html": True, "typographer": True, "linkify": False})
    except Exception:
        continue
    parser.enable(["replacements", "smartquotes", "table", "strikethrough"], ignoreInvalid=True)
    parser.render(TEXT)
    tree = SyntaxTreeNode(parser.parse(TEXT))
    [node.type for node in tree.walk()], tree.pretty(), tree.to_tokens()
parser = MarkdownIt().disable("emphasis").use(lambda md: md.add_render_rule("hr", lambda self, *_: "-"))
parser.get_all_rules(), parser.get_active_rules(), parser.renderInline("a *b*")
with parser.reset_rules():
    parser.disable("link")
