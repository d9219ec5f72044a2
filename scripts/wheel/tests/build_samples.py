"""Toy inputs for the tests of the build tools: a wheel, patches, a checkout."""

import base64
import hashlib
import os
import subprocess

WHEEL_FILES = {
    'paddle/tensor/manipulation.py': 'def old():\n    return 1\n',
    'paddle/_C_ops.py': '__all__ = []\n',
    'paddle/other.py': 'VALUE = 1\n',
}

MANIPULATION_PATCH = """\
From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001
From: A <a@localhost>
Date: Thu, 1 Jan 2026 00:00:00 +0000
Subject: [PATCH] phi: change
 old

---
diff --git a/python/paddle/tensor/manipulation.py b/python/paddle/tensor/manipulation.py
--- a/python/paddle/tensor/manipulation.py
+++ b/python/paddle/tensor/manipulation.py
@@ -1,2 +1,2 @@
 def old():
-    return 1
+    return 2
diff --git a/paddle/phi/new.h b/paddle/phi/new.h
new file mode 100644
--- /dev/null
+++ b/paddle/phi/new.h
@@ -0,0 +1 @@
+#pragma once
"""

OTHER_PATCH = """\
From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001
From: A <a@localhost>
Date: Thu, 1 Jan 2026 00:00:00 +0000
Subject: [PATCH] phi: change other

---
diff --git a/python/paddle/other.py b/python/paddle/other.py
--- a/python/paddle/other.py
+++ b/python/paddle/other.py
@@ -1 +1 @@
-VALUE = 1
+VALUE = 2
"""


def make_wheel(site):
    """A site-packages folder with a tiny installed paddlepaddle."""
    rows = []
    for name, text in WHEEL_FILES.items():
        path = site / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        digest = hashlib.sha256(text.encode()).digest()
        code = base64.urlsafe_b64encode(digest).rstrip(b'=').decode()
        rows.append(f'{name},sha256={code},{len(text)}\n')
    info = site / 'paddlepaddle-3.3.1.dist-info'
    info.mkdir()
    (info / 'RECORD').write_text(''.join(rows))
    return site


def make_series(folder, commit='0' * 40, **patches):
    """A patches folder; patch names are given without .patch."""
    folder.mkdir(exist_ok=True)
    (folder / 'BASE').write_text(f'tag: v1\ncommit: {commit}\nwheel: 3.3.1\n')
    for name, text in patches.items():
        (folder / f'{name}.patch').write_text(text)
    names = ''.join(f'{name}.patch\n' for name in patches)
    (folder / 'series').write_text(names)
    return folder


def git(folder, *arguments):
    """Output of a git command that does not read the user's settings."""
    env = {k: v for k, v in os.environ.items() if not k.startswith('GIT_')}
    env.update(GIT_CONFIG_GLOBAL='/dev/null', GIT_CONFIG_NOSYSTEM='1')
    who = ['-c', 'user.name=A', '-c', 'user.email=a@localhost']
    return subprocess.run(
        ['git', '-C', str(folder), *who, *arguments],
        env=env,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()


def contents(folder):
    """{relative path: bytes} of every file below a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob('*'))
        if path.is_file()
    }
