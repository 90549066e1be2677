/** What bash evaluates, and what programs run, although it isn't written as a command: `rm F` in many spellings. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Part } from "../../src/core/permission.ts";
import { commandMatches } from "../../src/shell/command_rules.ts";
import { commandParts } from "../../src/shell/grammar.ts";

const CWD = "/nowhere/work";

async function partsOf(command: string): Promise<Part[]> {
  const parts = await commandParts(command, CWD);
  assert.ok(parts, command);
  return parts;
}

const denies = (parts: readonly Part[]) =>
  parts.some((part) => [part.value, ...part.inner ?? []].some((text) => commandMatches("rm *", text)));
const asks = (parts: readonly Part[]) => parts.some((part) => part.kind === "command" && part.unknown);

/** Bash finds the command in a text: a deny rule sees it, and no allow rule covers the part around it. */
const EVALUATED = [
  "printf -v 'a[$(rm F)]' y",
  "printf -v'a[$(rm F)]' y",
  "[ -v 'a[$(rm F)]' ]",
  "test -v 'a[$(rm F)]'",
  "x='-v a[$(rm F)]'; [ $x ]",
  "read 'a[$(rm F)]' <<< x",
  "read -a 'a[$(rm F)]' <<< x",
  "declare 'a[$(rm F)]=1'",
  "typeset 'a[$(rm F)]=1'; local 'b[$(rm F)]=2'",
  "declare -n n='a[$(rm F)]'; printf $n",
  "local -n n='a[$(rm F)]'",
  "declare -n n; n='a[$(rm F)]'",
  "unset 'a[$(rm F)]'",
  "mapfile 'a[$(rm F)]' < /dev/null",
  "readarray -t 'a[$(rm F)]' < /dev/null",
  "getopts ab 'a[$(rm F)]' -a",
  "wait -n -p 'a[$(rm F)]'",
  "let 'a[$(rm F)]'",
  "let x='a[$(rm F)]'",
  "export 'a[$(rm F)]=1'",
  "readonly 'a[$(rm F)]=1'",
  "builtin printf -v 'a[$(rm F)]' y",
  "command -- printf -v 'a[$(rm F)]' y",
  "PS4='$(rm F)'; set -x; :",
  "PS4='$(rm F)' bash -xc :",
  'export "PS4=\\$(rm F)"; set -x',
  "env 'PS4=$(rm F)' bash -xc :",
  "x='$(rm F)'; echo ${x@P}",
  "x='`rm F`'; echo \"${x@P}\"",
  "x='\\$(rm F)'; echo ${x@P}",
  "x='a[$(rm F)]'; [[ $x -eq 0 ]]",
  "x='a[$(rm F)]'; [[ x -eq 0 ]]",
  "x='a[$(rm F)]'; echo $((x))",
  "x='a[$(rm F)]'; y[x]=1",
  "x='a[$(rm F)]'; z=x; (( z + 1 ))",
  "for x in 'a[$(rm F)]'; do (( x )); done",
  "f() { (( $1 )); }; f 'a[$(rm F)]'",
  "set -- 'a[$(rm F)]'; (( $1 ))",
  "bash -c '(( $1 ))' _ 'a[$(rm F)]'",
  "export x='a[$(rm F)]'; bash -c '((x))'",
  "declare -i n='a[$(rm F)]'",
  "declare -i n; n='a[$(rm F)]'",
  "local -i n='a[$(rm F)]'",
  "a='$'; x=\"a[$a(rm F)]\"; ((x))",
  "k=([a[\\$(rm F)]]=1)",
  "k=(['a[$(rm F)]']=1)",
  "echo ${v:a[\\$(rm F)]}",
  "x='a[$(rm F)]'; echo ${!x}",
  "x='a[$(rm F)]'; echo ${v:x}",
  "BASH_ENV='$(rm F)' bash -c :",
  "PROMPT_COMMAND='rm F' bash -i",
  "GIT_SSH_COMMAND='rm F' git fetch",
  "export GIT_PAGER='rm F'; git log",
  ': "${x:=a[\\$(rm F)]}"; ((x))',
  "sudo -E PS4='$(rm F)' bash -x f",
  "x='$((y))'; y='a[$(rm F)]'; echo ${x@P}",
  "x='a[`rm F`]'; ((x))",
  "declare -A m; x='a[$(rm F)]'; ((m[$x]++))",
  "x=(1 'a[$(rm F)]'); (( x[1] ))",
  "echo ${a[b[\\$(rm F)]]}",
  "set -- 'a[$(rm F)]'; (( $1 ))",
  "set -- 'a[$(rm F)]'; echo ${v:$1}",
  "f() { local n=$1; ((n)); }; f 'a[$(rm F)]'",
  "exec {a['$(rm F)']}>f",
  "[[ -v 'a[$(rm F)]' ]]",
  "x='a[$(rm F)]'; [[ -v $x ]]",
  "x='a[$(rm F)]'; [ -v \"$x\" ]",
  "o=-v; [ \"$o\" 'a[$(rm F)]' ]",
  "x='a[$(rm F)]'; unset \"$x\"",
  "declare -n r=x; r='a[$(rm F)]'; ((x))",
  "x='a[$(rm F)]' y=x z=y; echo $((z))",
  "(( a['$(rm F)'] ))",
  "(( 'a[$(rm F)]' ))",
  'let "y = a[\\$(rm F)]"',
  "MANPAGER='rm F' man ls",
  "LESSOPEN='|rm F %s' less f",
  "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.pager GIT_CONFIG_VALUE_0='rm F' git log",
  "x='$(rm F)'; y=\"${x@P}\"",
  "PS4+='$(rm F)'; set -x",
  "readonly PS4='$(rm F)'",
  "for PS4 in '$(rm F)'; do set -x; :; done",
  "ENV='$(rm F)' sh -i",
  "(( a[$(rm F)] b ))",
  "echo {a['$(rm F)']}>f",
  "(( `echo 1` + a[\\$(rm F)] ))",
];
for (const command of EVALUATED) {
  test(`a rule sees what bash evaluates in ${JSON.stringify(command)}`, async () => {
    assert.ok(denies(await partsOf(command)));
  });
}

test("what bash evaluates in a word is allowed by no pattern", async () => {
  // In a shell's own script the part around it is what an allow rule has to mean.
  for (const command of EVALUATED.filter((command) => !command.includes("bash -c '"))) {
    assert.ok((await partsOf(command)).some(({ opaque }) => opaque), command);
  }
});

/** A program runs the command which one of its words, or its input, holds. */
const RUN = [
  "python3 - <<'M'\nimport os\nos.system('rm F')\nM",
  "awk 'BEGIN{system(\"rm F\")}'",
  'awk \'BEGIN{print "x" | "rm F"}\'',
  "awk 'BEGIN{\"rm F\" | getline x}'",
  'awk \'BEGIN{system("rm" " F")}\'',
  "awk -f - <<< 'BEGIN{system(\"rm F\")}'",
  'x=\'BEGIN{system("rm F")}\'; awk "$x"',
  "sed '1e rm F'",
  "sed -n 's/.*/rm F/e' f",
  "sed -e 'p' -e '1e rm F' f",
  "sed -f - <<< '1e rm F'",
  "git -c alias.z='!rm F' z",
  "git config alias.z '!rm F'",
  "git -c core.pager='rm F' log",
  "git -c core.sshCommand='rm F' fetch",
  "git config core.editor 'rm F'",
  "git rebase -x 'rm F' main",
  "git rebase --exec='rm F' main",
  "git submodule foreach 'rm F'",
  "git filter-branch --tree-filter 'rm F'",
  "ssh -oProxyCommand='rm F' h",
  "ssh -o 'ProxyCommand rm F' h",
  "ssh -o LocalCommand='rm F' h",
  "ssh h 'ls; rm F'",
  "tar cf a --checkpoint=1 --checkpoint-action=exec='rm F' b",
  "tar xf a --to-command='rm F'",
  "tar -I 'rm F' -xf a",
  "make -f /dev/stdin <<< 'x: ; rm F'",
  "make -f - <<M\nx:\n\t@rm F\nM",
  "make -f- <<< '$(shell rm F)'",
  "make --eval='x:;rm F'",
  "rsync -e 'rm F' a b:",
  "vim -c '!rm F'",
  "vim +'!rm F' f",
  "vim -c 'call system(\"rm F\")'",
  "less '+!rm F' f",
  "man -P 'rm F' ls",
  "perl -e 'system(\"rm F\")'",
  "perl -e 'qx{rm F}'",
  "python3 -c 'import os; os.system(\"rm F\")'",
  'python3 -c \'import subprocess; subprocess.run(["rm", "F"])\'',
  'node -e \'require("child_process").execSync("rm F")\'',
  "ruby -e '`rm F`'",
  "sort --compress-program='rm F' f",
  "split --filter='rm F' f",
  "rg --pre 'rm F' x",
  "tmux new 'rm F'",
  "socat - EXEC:'rm F'",
  "crontab - <<< '* * * * * rm F'",
  "at now <<< 'rm F'",
  "zip -TT 'rm F' a b",
  "sqlite3 :memory: '.shell rm F'",
  "ed <<< '!rm F'",
  "xargs -I{} awk 'BEGIN{system(\"rm F\")}'",
  "echo 'x' | xargs sed '1e rm F'",
  "awk '{ cmd = \"rm F\"; system(cmd) }'",
  "awk '{ \"rm F\" |& getline }'",
  'gawk \'BEGIN { printf "x" |& "rm F" }\'',
  "sed 's/a/b/;e rm F'",
  "sed '/x/e rm F'",
  "sed --expression='1e rm F'",
  "sed -ne'1e rm F'",
  "sed -n '1{e rm F\n}'",
  "busybox awk 'BEGIN{system(\"rm F\")}'",
  "busybox sed '1e rm F'",
  "timeout 5 sed '1e rm F' f",
  "sudo git -c alias.z='!rm F' z",
  "git grep -O'rm F' x",
  "git clone 'ext::rm F' x",
  "git difftool -x 'rm F'",
  "npm exec -c 'rm F'",
  "expect -c 'spawn rm F'",
  "lua -e 'os.execute(\"rm F\")'",
  "php -r 'system(\"rm F\");'",
  "gdb -ex 'shell rm F'",
  "ssh -F none -o PermitLocalCommand=yes -o LocalCommand='rm F' h",
  "scp -o ProxyCommand='rm F' a b:",
];
for (const command of RUN) {
  test(`a deny rule sees what ${JSON.stringify(command)} runs`, async () => {
    assert.ok(denies(await partsOf(command)));
  });
}

/** What is evaluated or run isn't in the text. */
const UNKNOWN = [
  "env BASH_ENV=f bash -c :",
  "read PS4 <<< x; set -x",
  "x='a['; x+='$(rm F)]'; ((x))",
  "x=$(cat f); ((x))",
  "read x < f; echo $((x+1))",
  "BASH_ENV=f bash -c :",
  "awk -v c=\"x\" 'BEGIN{system(c)}'",
  'sed "$(cat f)"',
  "sed e",
  "cat x | make -f -",
  "eval \"x='a[\\$(rm F)]'\"; ((x))",
  "printf -v x '%s' 'a[$(rm F)]'; ((x))",
  "(( $(cat f) ))",
  "echo x | { read x; ((x)); }",
  "o=-v; printf \"$o\" 'a[$(rm F)]' x",
  "x='a[$(rm F)]'; read \"$x\" <<< 1",
  "printf -v PS4 '%s' '$(rm F)'",
];
for (const command of UNKNOWN) {
  test(`what ${JSON.stringify(command)} runs can't be told`, async () => {
    assert.ok(asks(await partsOf(command)));
  });
}

/** Daily commands, which no deny rule stops and nobody is asked about. */
const HARMLESS = [
  "git commit -F - <<'M'\nrm F\nM",
  "cat > f.sh <<'M'\nrm F\nM",
  "apply_patch <<'M'\n*** Begin Patch\n rm F\nM",
  "n=5; echo $((n+1))",
  "i=0; while ((i<10)); do i=$((i+1)); done",
  "for ((i=0;i<3;i++)); do ls; done",
  "n=$(wc -l < f); echo $((n+1))",
  "n=$(ls | wc -l); [[ $n -gt 3 ]]",
  "[ $? -eq 0 ]",
  "[[ $# -eq 0 ]]",
  '[ -n "$x" ] && [ "$a" = "$b" ]',
  "read -r -p 'Go? [y/N] ' a",
  'while read -r line; do echo "$line"; done < f',
  "printf '%s\\n' \"$x\"",
  'printf "%d" $x',
  "printf -v x '%s' y",
  "export FOO=bar PATH=$PATH:/x",
  'local x=$1 y="$2"',
  "declare -A m; m[a]=1; m[$k]=2",
  "declare -a a=(1 2 3)",
  "declare -i n=5",
  "unset x y",
  "unset a[0]",
  "export EDITOR=cat",
  "awk '{print $1}' f",
  "awk -F: '/foo|bar/ {print $2}' f",
  'awk "NR==$n" f',
  "awk '{s+=$1} END {print s}'",
  "awk '{ print $1 | \"sort\" }'",
  "awk '$1 || $2 {print}' f",
  "sed -n '1,10p' f",
  "sed -i 's/a/b/g; s|x|y|' f",
  'sed "s/$x/$y/g" f',
  'sed -n "${a},${b}p" f',
  "sed -E 's/[^/]+\\/(x)/\\1/' f",
  "sed '/foo/d;$!N;P;D' f",
  "sed -e '/a/{' -e 'd' -e '}' f",
  "sed '2i\\\nhello world' f",
  "sed '/x/a foo bar' f",
  "sed '/^#/!{s/a/b/;n}' f",
  "sed ':a;N;$!ba;s/\\n/ /g' f",
  "sed -n '/a/,/b/p' f",
  "sed -n '$p;$=' f",
  'sed "s#^x=.*#x=$(pwd)#" f',
  'git commit -m "rm F"',
  "git commit -m 'x | y; rm F'",
  "git -c user.name=x commit",
  "git log --format='%h rm F'",
  "make -j4 test",
  "make -f Makefile x",
  "tar czf a.tgz b",
  "ssh host uptime",
  "vim f",
  "less f",
  "python3 x.py",
  "npm run build",
  "docker run -e A=b x ls",
  "sort -k2 f | uniq -c",
  "f() { local n=$1; echo $((n*2)); }; f 4",
  "[ -v x ]",
  "echo ${x@Q} ${x:1:2} ${#x} ${a[0]}",
  "local -n ref=$1",
  'test -f x -a -d "$y"',
  'IFS=, read -ra a <<< "$x"',
  "mapfile -t lines < f",
  "getopts ab: opt",
  "PS1='$ '",
  "PAGER= git log",
  "find . -name '*.ts' | xargs sed -i 's/a/b/'",
  "x=$(date +%s); echo $((x-5))",
  "exec 3> f {fd}> g",
  'x=(a b c); for ((i=0; i<${#x[@]}; i++)); do echo "${x[i]}"; done',
  "s=hello; echo ${s:0:${#s}-1}",
  'grep -c x f; [ "$(git status --porcelain)" = "" ]',
  "awk 'NR % 2 == 0 { printf \"%s\\n\", $0 }' f",
  "python3 -c 'print(\"rm F\")'",
  "for i in $(seq 3); do echo ${a[$i]}; done",
  'for i in "${!a[@]}"; do echo ${a[$i]}; done',
  "s=$(date +%s); echo $(( $(date +%s) - s ))",
  "PS1='$ '; PS4='+ $LINENO '",
];
for (const command of HARMLESS) {
  test(`${JSON.stringify(command)} hides nothing`, async () => {
    const parts = await partsOf(command);
    assert.ok(!denies(parts) && !asks(parts), JSON.stringify(parts));
  });
}

test("plain names, options and comparisons are no evaluation, so an allow rule covers them", async () => {
  for (
    const command of [
      '[ -n "$x" ] && [ "$a" = "$b" ] && [ -v x ] && [ $? -eq 0 ]',
      "read -r -p 'Go? [y/N] ' a",
      "printf '%s\\n' \"$x\"; printf -v x '%s' y",
      'export FOO=bar PATH=$PATH:/x; local x=$1 y="$2"; declare -a a=(1 2 3); declare -i n=5',
      "unset x y a[0]; mapfile -t lines < f; getopts ab: opt",
      "echo ${x@Q} ${x:1:2} ${#x} ${a[0]}",
      "awk '{print $1}' f | sed 's/a/b/' | sort -k2",
    ]
  ) {
    assert.ok((await partsOf(command)).every(({ opaque }) => !opaque), command);
  }
});

test("a rule for files that denies or asks sees the files of a sed script", async () => {
  const files = async (command: string) =>
    (await partsOf(command)).filter(({ kind }) => kind === "path").map(({ access, value }) =>
      `${access}:${value}`
    );
  assert.deepEqual(await files("sed 's/x/y/w out' f"), [`write:${CWD}/out`]);
  assert.deepEqual(await files("sed -n -e '/x/w out' -e '$r in' f"), [`write:${CWD}/out`, `read:${CWD}/in`]);
});

test("values that name each other in circles, and thousands of them, end in time", async () => {
  const circle = "x='$((y))$((y))$((x))'; y='$((x))$((x))$((y))'; echo ${x@P} $((x)) $((y))";
  assert.ok(asks(await partsOf(circle)));
  for (const value of ["v%", "$v%", "$v%$v%"]) {
    const chain = Array.from({ length: 5000 }, (_, i) => `v${i + 1}=${value.replaceAll("%", `${i}`)}`).join(
      "; ",
    );
    assert.ok(asks(await partsOf(`v0=1; ${chain}; echo $((v5000))`)), value);
  }
});
