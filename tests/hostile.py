"""Names that want to be more than names."""

SCRIPT = "<script>alert(1)</script>"
NAMES = (
    f"`{SCRIPT}`",
    f"a` {SCRIPT} `b",
    f"``{SCRIPT}",
    '"><img src=x onerror=alert(1)>',
    "\x1b[31mred\x1b[0m\x1b]0;title\x07",
    "first\nsecond\r\nthird",
    "\u202egnp.exe\u2066",
    "zero\u200bwidth\ufeff\u00ad",
    "line\u2028separator\u2029\x85",
    'it\'s "quoted"',
    "a|b\\|c\\",
    "[x](javascript:alert(1)) ![y](http://evil.example/z) <http://evil.example>",
    "https://evil.example www.evil.example a@evil.example",
    "[bold]rich[/bold] :egg: *s* __u__ ~~d~~ $x$",
    "nul\x00byte",
    "=cmd()|' /C calc'!A0",
    "@SUM(1+1)",
    "\x9b31mC1",
    "{{7*7}}{% raw %}",
    "\U000e0041tag\ue000private",
    "# head\n- item\n\n***",
    "&lt;b&gt;&#60;b>",
)
EVERYTHING = " ".join(NAMES)  # in one name
