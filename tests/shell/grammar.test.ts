/** What permission rules see in a shell command. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { homedir } from "node:os";
import { test } from "node:test";
import fc from "fast-check";
import type { Part } from "../../src/core/permission.ts";
import { commandMatches } from "../../src/shell/command_rules.ts";
import { commandParts } from "../../src/shell/grammar.ts";

const CWD = "/nowhere/work";

/** The parts as short texts: commands as they are, files as `write:path`, what is never allowed with `?`, an unknown file too. */
async function partsOf(command: string): Promise<string[] | undefined> {
  const parts = await commandParts(command, CWD);
  return parts?.map((part: Part) => {
    const text = part.kind === "path" ? `${part.access}:${part.value}` : part.value;
    return part.opaque || part.kind === "path" && part.unknown ? `?${text}` : text;
  });
}

const found: [command: string, ...parts: string[]][] = [
  ["git status", "git status"],
  ["a | b |& c && d || e; f & g", "a", "b", "c", "d", "e", "f", "g"],
  ["a\nb", "a", "b"],
  ["cd x && rm y", "cd x", "rm y"],
  ["! a", "a"],
  ["time -p a", "a"],
  ["coproc a", "a"],
  ["(a); { b; }", "a", "b"],
  ["if a; then b; elif c; then d; else e; fi", "a", "b", "c", "d", "e"],
  ["for i in $(a); do b $i; done", "a", "b $i"],
  ["while a; do b; done; until c; do d; done", "a", "b", "c", "d"],
  ["case $(a) in x) b;; *) c;; esac", "a", "b", "c"],
  ["select i in $(a); do b; done", "a", "b"],
  ["f() { a; }; function g { b; }; f", "a", "b", "f"],
  ["echo `a`", "echo `a`", "a"],
  ['echo "x $(a "$(b)")"', 'echo "\\"x $(a \\"$(b)\\")\\""', 'a "$(b)"', "b"],
  ["cat <(a) >(b)", "cat <(a) >(b)", "a", "b"],
  ["cat <<E\n$(a) `b`\nE", "cat", "a", "b"],
  ["cat <<'E'\n$(a)\nE", "cat"],
  ["cat <<< $(a)", "cat", "a"],
  ["echo ${x:-$(a)} ${x/$(b)/$(c)}", "echo ${x:-$(a)} ${x/$(b)/$(c)}", "a", "b", "c"],
  ["x=$(a)", "x=$(a)", "a"],
  ["PATH=/evil; make", "PATH=/evil", "make"],
  ["FOO=1 make", "?make"],
  ["export FOO=1", "export FOO=1"],
  ["[[ -f $(a) && $x == y ]]", "a"],
  ["[ -f x ]", "[ -f x ]"],
  ["r\\m x; 'rm' x; \"rm\" x; $'rm' x; r''m x", "rm x", "rm x", "rm x", "rm x", "rm x"],
  ["rm\\\n x", "rm x"],
  ["echo 'a b' \"\"", 'echo "a b" ""'],
  ["$cmd x", "?$cmd x"],
  ["`a` x", "?`a` x", "a"],
  ["r{m,} x", "?r{m,} x"],
  ["a #; b\nc", "a", "c"],
  ["# nothing"],
];
for (const [command, ...parts] of found) {
  test(`a rule sees ${JSON.stringify(command)} as ${parts.length} parts`, async () => {
    assert.deepEqual((await partsOf(command))?.sort(), parts.sort());
  });
}

for (
  const command of [
    "$X y",
    "sudo $X y",
    "sudo -u root $X",
    "env -i A=$B $X",
    "timeout 5s $X",
    "xargs -n 1 $X",
    "su -c '$X y'",
    "find . -exec $X {} ';'",
    "sudo sh -c '$X y'",
    'sh -c "$X"',
    "sudo bash <<< '$X y'",
    "eval '$X'",
    "sh -c 'sudo $X'",
    "sudo env $X",
    // A script that isn't in the text.
    "a | sh",
    "sh < f",
    "bash -s x",
    "bash <(a)",
    "a | sudo -n /bin/busybox sh",
    "xargs bash f",
    ". ./f",
    "source f",
    "enable -f ./f x",
    "eval 'a | sh'",
  ]
) {
  test(`which program ${JSON.stringify(command)} runs can't be told`, async () => {
    const parts = await commandParts(command, CWD);
    assert.ok(parts?.some((part) => part.unknown));
  });
}

test("a wrapper whose program is written down is known, whatever else is expanded", async () => {
  for (
    const command of [
      "sudo rm $X",
      "env A=$B make $X",
      "timeout 5 ls $X",
      "nice -n 5 ls",
      "sudo sh -c 'ls $X'",
      "find . -name '*.ts' -exec ls {} ';'",
      "find $X -name bash",
      "sudo apt install zsh",
      "git add $X",
      "bash --version",
      "bash <<< ls",
    ]
  ) {
    const parts = await commandParts(command, CWD);
    assert.ok(parts?.every((part) => !part.unknown), command);
  }
});

const redirected: [command: string, ...parts: string[]][] = [
  ["a > f >> g 2>| h", `write:${CWD}/f`, `write:${CWD}/g`, `write:${CWD}/h`],
  ["a &> f; b &>> g; c >& h", `write:${CWD}/f`, `write:${CWD}/g`, `write:${CWD}/h`],
  ["a < f; b <> g", `read:${CWD}/f`, `write:${CWD}/g`],
  ["> f", `write:${CWD}/f`],
  ["{ a; } > f; (b) 2> g; while c; do d; done > h", `write:${CWD}/f`, `write:${CWD}/g`, `write:${CWD}/h`],
  ["f() { a; } > f", `write:${CWD}/f`],
  ["exec 3> f; a {fd}> g", `write:${CWD}/f`, `write:${CWD}/g`],
  ["a > ../f; b > /nowhere/g", "write:/nowhere/f", "write:/nowhere/g"],
  ["a > ~/none/f", `write:${homedir()}/none/f`],
  ["a > '~/f'", `write:${CWD}/~/f`],
  ["a > /dev/null 2>&1 3>&- < /dev/null"],
  ['a > "$f"', '?write:redirection "\\"$f\\""'],
  ["a > *", '?write:redirection "*"'],
  ["a > ~other/f", '?write:redirection "~other/f"'],
  // Where `cd` fails the file is in the old folder.
  ["cd sub && a > f", `write:${CWD}/f`, `write:${CWD}/sub/f`],
  ["cd $x; a > f", '?write:redirection "f"'],
  ["cd -; a > f", '?write:redirection "f"'],
  ["pushd x; a > f; b > /nowhere/g", '?write:redirection "f"', "write:/nowhere/g"],
  ["while a; do b > f; cd x; done", '?write:redirection "f"'],
  ["f() { a > f; }; cd x; f", '?write:redirection "f"'],
  ["a < $f", '?read:redirection "$f"'],
  // Scripts inside a command open files too, in the folder where they stand.
  ["bash -c 'a > f'", `write:${CWD}/f`],
  ["eval 'a > f'", `write:${CWD}/f`],
  ["bash <<< 'a > f'", `write:${CWD}/f`],
  ["bash <<E\na > f\nE", `write:${CWD}/f`],
  ["trap 'a > f; b' EXIT", `write:${CWD}/f`, `write:${CWD}/f`],
  ["env sh -c 'a < f'", `read:${CWD}/f`],
  [
    "cd sub && sh -c 'cd x; a > f'",
    ...["f", "x/f", "sub/f", "sub/x/f"].map((file) => `write:${CWD}/${file}`),
  ],
  ["bash -c \"sh -c 'a > f'\"", `write:${CWD}/f`],
  ["sh -c 'a > *'", '?write:redirection "*"'],
  ["trap 'a > f' EXIT; cd x", '?write:redirection "f"', '?write:redirection "f"'],
  ["env -C x sh -c 'a>f'", '?write:redirection "f"'],
];
for (const [command, ...files] of redirected) {
  test(`a rule sees the files that ${JSON.stringify(command)} opens`, async () => {
    const parts = (await partsOf(command))?.filter((part) => /^\??(read|write):/.test(part));
    assert.deepEqual(parts?.sort(), files.sort());
  });
}

for (
  const command of [
    "echo $((x))",
    "echo $[x]",
    "cat <<E\n$[x]\nE",
    "(( x ))",
    "for ((i=x;;)); do a; done",
    "[[ x -eq 1 ]]",
    "[[ -v 'a[$(b)]' ]]",
    "echo ${a[x]}",
    "echo ${v:x}",
    "echo ${!x}",
    "echo ${x@P}",
    "a[x]=1",
    "echo $(( $(a) ))",
  ]
) {
  test(`${JSON.stringify(command)} is never allowed by a pattern, since bash evaluates what isn't written there`, async () => {
    assert.ok((await commandParts(command, CWD))?.some(({ opaque }) => opaque));
  });
}

test("arithmetic with numbers alone, lengths and plain tests hide nothing", async () => {
  const plain =
    "echo $((1+2)) ${#x} ${x:1:2} ${a[0]} ${a[@]} ${!x*}; [[ $# -eq 0 && -f x && a == b ]]; (( 1 ))";
  assert.ok((await commandParts(plain, CWD))?.every(({ opaque }) => !opaque));
});

const wrapped: [command: string, inner: string][] = [
  ["sudo -u root rm x", "rm x"],
  ["/usr/bin/sudo /bin/rm x", "rm x"],
  ["env A=1 nice -n 5 rm x", "rm x"],
  ["bash -c 'ls; rm x'", "rm x"],
  ["sudo timeout 5 sh -ec 'rm x'", "rm x"],
  ["bash --norc -o pipefail -c -- 'rm x'", "rm x"],
  ["bash <<< 'rm x'", "rm x"],
  ["bash <<E\nrm x\nE", "rm x"],
  ["eval 'rm x'", "rm x"],
  ["eval r'm' x", "rm x"],
  ["trap 'rm x' EXIT", "rm x"],
  ["xargs -n 1 rm", "rm"],
  ["find . -exec rm {} \\;", "rm {} ;"],
  ["env -S 'rm x'", "rm x"],
  ["bash -c \"bash -c 'rm x'\"", "rm x"],
  ["/bin/rm x", "rm x"],
  ["env -Srm x", "rm x"],
  ["env -iSrm x", "rm x"],
  ["env --split-string=rm x", "rm x"],
  ["env --split-string='rm x'", "rm x"],
  ["su root -c'rm x'", "rm x"],
  ["busybox rm x", "rm x"],
  ["busybox sh -c 'rm x'", "rm x"],
  ...["rbash", "ash", "fish"].map((shell): [string, string] => [`${shell} -c 'rm x'`, "rm x"]),
  ["setpriv --reuid 1 rm x", "rm x"],
  ["start-stop-daemon -S --exec /bin/rm -- x", "rm -- x"],
  ["/lib64/ld-linux-x86-64.so.2 /bin/rm x", "rm x"],
  // Nobody knows all programs that run others.
  ["never-heard-of --it -y /bin/rm x", "rm x"],
  ["never-heard-of sh -c 'rm x'", "rm x"],
  ["git bisect run rm x", "rm x"],
  ["alias ls='rm x'", "rm x"],
  ["hash -p /bin/rm ls", "rm ls"],
  ["mapfile -C 'rm x' -c 1 a", "rm x"],
  ["compgen -C 'rm x'", "rm x"],
];
for (const [command, inner] of wrapped) {
  test(`a deny rule looks into ${JSON.stringify(command)}`, async () => {
    const parts = await commandParts(command, CWD);
    assert.ok(parts?.some((part) => part.inner?.includes(inner)), JSON.stringify(parts));
  });
}

test("words that nothing runs are no commands", async () => {
  for (
    const command of [
      "echo rm x",
      "grep -r rm x",
      "git rm x",
      "npm rm x",
      "/bin/ls rm x",
      "find . -name rm x",
    ]
  ) {
    const parts = await commandParts(command, CWD);
    assert.ok(parts?.every(({ inner }) => !inner?.includes("rm x")), command);
  }
});

test("many words, and scripts in scripts in scripts, end in time and memory", async () => {
  const words = await commandParts(`never-heard-of ${"/a/b/c/d ".repeat(20_000)}`, CWD);
  assert.ok(words![0]!.inner!.length >= 20_000);
  const deep = await commandParts(`${"eval ".repeat(300)}x`, CWD);
  assert.equal(deep![0]!.unknown, true);
});

test("what runs a text that only the shell knows is unknown, and so is what can't be parsed", async () => {
  for (const command of ["$cmd x", 'bash -c "$x"', "eval $x", "eval 'if'"]) {
    assert.ok((await commandParts(command, CWD))?.some(({ unknown }) => unknown), command);
  }
  for (const command of ["if", "ls &&", "echo 'x", "echo $[ 1"]) {
    assert.equal(await commandParts(command, CWD), undefined, command);
  }
});

test("a list of arguments with `-` in front is a command, not an option of the shell that checks it", async () => {
  assert.deepEqual(await partsOf("-x y"), ["-x y"]);
});

const TOKENS = [
  "ls",
  "rm x",
  "'",
  '"',
  "`",
  "$(",
  ")",
  "(",
  "((",
  "))",
  "{",
  "}",
  "[[",
  "]]",
  "if",
  "then",
  "fi",
  "for",
  "in",
  "do",
  "done",
  "case",
  "esac",
  "f()",
  "function",
  "!",
  "&&",
  "|",
  ";",
  ";;",
  "&",
  "\n",
  "<",
  ">",
  "<<EOF\n",
  "EOF\n",
  "<(",
  "${",
  "${x",
  "${ ",
  "$x",
  "$((",
  "$[",
  "\\",
  "#",
  "=",
  "A=1",
  "a=(",
  "$'",
  "*",
  "==(",
  "2>&1",
  "{fd}>",
  "-f",
  "+",
  "@(",
];

test("nothing that `bash -n` refuses is ever taken for commands", async () => {
  const text = fc.array(fc.tuple(fc.constantFrom(...TOKENS), fc.constantFrom("", " ")), {
    minLength: 1,
    maxLength: 8,
  })
    .map((words) => words.flat().join(""));
  await fc.assert(
    fc.asyncProperty(text, async (command) => {
      if (await commandParts(command, CWD) === undefined) return;
      const { status, stderr } = spawnSync("bash", ["-n", "-c", "--", command], { encoding: "utf8" });
      assert.equal(status, 0, stderr);
    }),
    { numRuns: 1500 },
  );
});

for (
  const command of [
    "==(esac ",
    "> 2>&1",
    "${ ",
    "ls )",
    "{ ls",
    "a (",
    "for do",
    "ls ;; rm",
    "@(a|b) c",
  ]
) {
  test(`${JSON.stringify(command)}, which bash refuses, is not understood`, async () => {
    assert.notEqual(spawnSync("bash", ["-n", "-c", "--", command]).status, 0);
    assert.equal(await commandParts(command, CWD), undefined);
  });
}

test("a pattern is exact, a program with anything after it, or has `*` for any run of characters", () => {
  const fits = (pattern: string, ...commands: string[]) =>
    commands.filter((one) => commandMatches(pattern, one));
  assert.deepEqual(fits("git status", "git status", "git status -s", "git"), ["git status"]);
  for (const pattern of ["git:*", "git *"]) {
    assert.deepEqual(fits(pattern, "git", "git push", "gitk", "git-x y"), ["git", "git push"]);
  }
  assert.deepEqual(fits("npm run *:ci", "npm run a:ci", "npm run a b:ci", "npm run a"), [
    "npm run a:ci",
    "npm run a b:ci",
  ]);
  assert.deepEqual(fits("make*", "make", "makefile", "make x", "cmake"), ["make", "makefile", "make x"]);
  assert.deepEqual(fits("*x*", "axb", "x", "y"), ["axb", "x"]);
  assert.deepEqual(fits("a.c", "a.c", "abc"), ["a.c"]);
});

test("a pattern of many stars is matched in linear time", () => {
  assert.ok(!commandMatches(`${"*a".repeat(40)}b`, "a".repeat(100_000)));
});
