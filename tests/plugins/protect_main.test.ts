/** The plugin that ships as `plugins/protect-main.ts`. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { test } from "node:test";
import { ROOT, Scratch, textOf } from "../support.ts";

const FLAGS = ["--plugins", path.join(ROOT, "plugins/protect-main.ts"), "--mode", "bypassPermissions"];

function git(scratch: Scratch, ...args: string[]): string {
  const who = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
  const { status, stdout, stderr } = spawnSync("git", [...who, ...args], {
    cwd: scratch.work,
    env: scratch.env(),
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  return stdout;
}

/** `repo` is on main, `side` on feature, `tree` a worktree of `repo` on work, `tree2` one of `side` on main. */
function repositories(scratch: Scratch): void {
  for (const [folder, branch] of [["repo", "main"], ["side", "feature"]] as const) {
    git(scratch, "init", "-q", "-b", branch, folder);
    git(scratch, "-C", folder, "commit", "-q", "--allow-empty", "-m", "first");
  }
  git(scratch, "-C", "repo", "worktree", "add", "-q", "-b", "work", "../tree");
  git(scratch, "-C", "side", "worktree", "add", "-q", "-b", "main", "../tree2");
}

/** What becomes of each command, without running it. */
async function judge(
  scratch: Scratch,
  commands: readonly string[],
  flags: readonly string[] = FLAGS,
  folder = ".",
) {
  const calls = commands.map((command) => ({ name: "Bash", args: { command } }));
  const { results, stderr } = await scratch.batch(calls, [...flags, "--dry-run"], {
    cwd: path.join(scratch.work, folder),
  });
  assert.equal(stderr, "");
  return results.map(({ outcome }, index) =>
    `${outcome === "denied" ? "no " : outcome === "success" ? "yes" : outcome} ${commands[index]}`
  );
}

const REFUSED = [
  "git -C repo commit -m x",
  "cd repo && git commit -m x",
  "cd repo; git add . && git commit -am 'a; b'",
  "cd repo\ngit merge feature",
  "cd repo && git rebase feature",
  "cd repo && git cherry-pick abc",
  "cd repo && git pull",
  "cd repo && git push",
  "cd repo && git push origin",
  "cd repo && git push origin HEAD",
  "cd repo && git push -o ci.skip origin",
  "git -C side push origin main",
  "git -C side push origin HEAD:main",
  "git -C side push origin +feature:refs/heads/main",
  "git -C side push --delete origin main",
  "git -C side push --all origin",
  "git -C side push origin 'refs/heads/*'",
  "git -C side rebase feature main",
  "cd side && git checkout main && git commit -m x",
  "cd side && git switch - && git commit -m x",
  "git -C tree2 commit -m x",
  "cd tree2 && git commit -m x",
  "cd repo && echo x | git commit -F -",
  'cd repo && git commit -m "$(cat <<\'EOF\'\nwith "quotes" and git switch -c x &&\nEOF\n)"',
  "cd repo && GIT_AUTHOR_NAME=x git commit -m x",
  "cd repo && sudo -u me /usr/bin/git -c user.name=x --no-pager commit -m x",
  "cd repo && if true; then git commit -m x; fi",
  "cd repo && (cd ../side && true); git commit -m x",
  "cd repo && echo $(git commit -m x)",
  "cd repo && bash -lc 'true && git commit -m x'",
  "cd repo && git log > out.txt; git push origin > out.txt",
  "cd repo && git switch -c new; git commit -m x",
  "cd repo && git checkout a.txt && git commit -m x",
  "cd repo && git \\\n  commit -m x",
  'cd "$WHERE" && git commit -m x',
  "git --git-dir=repo/.git commit -m x",
  "GIT_DIR=repo/.git git commit -m x",
  "cd repo && ls | xargs git commit -m x",
  "cd repo && echo `git commit -m x`",
  "cd repo && find . -name x -exec git commit -m x \\;",
  "cd repo && FOO='a b' git commit -m x &",
  "cd repo && git --no-pager --work-tree . commit -m x",
];

/** Said in `repo`, on main. */
const REFUSED_ON_MAIN = [
  ...["cd /nonexist; git commit -m x", "cd /nonexist && true; git commit -m x"],
  ...["pushd ../side; popd; git commit -m x", "cd ../side | cat; git commit -m x"],
  ...["cd ../side & git commit -m x", "cd ../side && true & git commit -m x"],
  ...["false && cd ../side; git commit -m x", "true || cd ../side && git commit -m x"],
  ...["command cd ../side; git commit -m x", "if false; then cd ../side; fi; git commit -m x"],
  ...['echo "$(git commit -m x)"', 'echo "$(echo "a b"; git commit -m x)"', 'echo "`git commit -m x`"'],
  ...["cat <<EOF\n$(git commit -m x)\nEOF", "cat <(git commit -m x)", "echo ${x:-$(git commit -m x)}"],
  ...["time -p git commit -m x", "builtin command git commit -m x", "ionice -c 3 git commit -m x"],
  ...[
    "eval git commit -m x",
    "eval 'git commit -m x'",
    "env -S 'git commit -m x'",
    "su -c 'git commit -m x'",
  ],
  ...[
    "strace -f git commit -m x",
    "flock x git commit -m x",
    "watch 'git commit -m x'",
    "coproc git commit -m x",
  ],
  ...["function f { git commit -m x; }; f", "trap 'git commit -m x' EXIT", "bash -c -- 'git commit -m x'"],
  ...["bash <<< 'git commit -m x'", "bash <<'EOF'\ngit commit -m x\nEOF", "echo git commit -m x | sh"],
  ...["g=git; $g commit -m x", "x='git commit -m x'; $x", 'x="git commit -m x"; bash -c "$x"'],
  ...["$(which git) commit -m x", "{git,commit,-m,x}", "git ${x:-commit} -m x", "git $'commit' -m x"],
  ...["git commit --allow-empty -m --dry-run", 'git commit -m "--dry-run"', "git commit -m x -- x --dry-run"],
  ...["git push origin main -o --dry-run", "git reset -q --hard HEAD~1", "git update-ref HEAD HEAD~1"],
  ...[
    "git branch -f main HEAD~1",
    "git branch -M new",
    "git switch -C main HEAD~1",
    "git checkout -B main HEAD~1",
  ],
  ...["git fetch . feature:main", "git worktree add ../w2 main && cd ../w2 && git commit -m x"],
  ...["true || git switch -c new && git commit -m x", "git -C ../side switch -c new && git commit -m x"],
  ...["git ci -m x", "echo commit | xargs git"],
];

/** Said in `side`, on feature. */
const REFUSED_ON_FEATURE = [
  ...[
    "git push origin $BRANCH",
    "git push origin :",
    "git branch -f main",
    "git update-ref refs/heads/main HEAD",
  ],
  ...["git fetch . feature:main", "git symbolic-ref HEAD refs/heads/main && git commit -m x"],
  ...["git switch -t origin/main && git commit -m x", "git switch @{-1} && git commit -m x"],
  ...["cd ../repo; git commit -m x", "cd; git commit -m x", "eval 'cd ../repo'; git commit -m x"],
  ...["env -C ../repo git commit -m x", "export GIT_DIR=../repo/.git; git commit -m x"],
  ...[
    "git rebase -x 'git push origin HEAD:main' HEAD~1",
    "git -C ../repo checkout feature~0 && git -C ../repo commit",
  ],
];

const ALLOWED_ON_FEATURE = [
  ...[
    "git commit -m 'git push origin main'",
    'git commit -m "cd x; git push origin main"',
    "git reset --hard HEAD~1",
  ],
  ...[
    'git commit -am "$(cat <<\'EOF\'\nDon\'t `git push origin main` ("yet").\nEOF\n)" && git push -u origin HEAD',
  ],
  ...[
    "git fetch origin main && git rebase origin/main",
    "time git commit -m x",
    "sudo -u me git commit -m x",
  ],
  ...["git branch -d old", "git push --force-with-lease origin feature", "apt-get install -y git curl"],
  ...["echo x | tee f && git add f; git commit -m x", "bash ./build.sh && git commit -m x", "git ci -m x"],
  ...[
    "python3 - <<'EOF'\nprint('git commit')\nEOF",
    'git switch -c a && git commit -m "$(date)" && git push -u origin HEAD',
  ],
];

const ALLOWED_ON_MAIN = [
  ...[
    '$PYTHON build.py "$X" && git add .',
    "cd nowhere; npm test",
    "for f in *.md; do ./x $f; done; git status",
  ],
  ...[
    "git reset",
    "git reset HEAD a.txt",
    "git reset -- a.txt",
    "git branch -D old",
    "git symbolic-ref --short HEAD",
  ],
  ...[
    "git stash && git stash pop",
    "git submodule update --init",
    "git --version",
    "git",
    'echo "$(git log -1)"',
  ],
  ...['git checkout -b new && git commit -m "$(date)" && git push -u origin HEAD', "git diff | cat"],
  ...["git tag v1 && git push origin v1", "find . -name .git", 'echo "at $(date) git commit"'],
];

const ALLOWED = [
  "git commit -m x",
  "git -C repo status",
  "git -C repo log --grep 'git commit'",
  "cd repo && git fetch && git diff main",
  "cd repo && git pull --ff-only",
  "cd repo && git merge --abort",
  "cd repo && git commit --dry-run",
  "cd repo && git switch -c new && git add . && git commit -m x",
  "cd repo && git checkout -b new 2>&1 && git commit -m x && git push -u origin new",
  "cd repo && git push origin feature",
  "cd repo && echo git commit",
  "cd repo && echo 'git commit; git push'",
  "cd repo && cat > notes.md <<'EOF'\ngit commit -m x\nEOF",
  "cd repo && ls # git commit",
  "git -C side commit -m 'merge main'",
  "git -C side push",
  "git -C side push -u origin HEAD",
  "git -C side rebase main",
  "git -C side merge main",
  "git -C tree commit -m x",
  "cd tree && git push origin $(git branch --show-current)",
  "cd side && git commit -m \"$(cat <<'EOF'\nmain\nEOF\n)\"",
];

test("protect-main refuses what would change main or master, however it is spelled, and nothing else", async () => {
  using scratch = new Scratch();
  repositories(scratch);
  assert.deepEqual(await judge(scratch, REFUSED), REFUSED.map((command) => `no  ${command}`));
  assert.deepEqual(await judge(scratch, ALLOWED), ALLOWED.map((command) => `yes ${command}`));
});

for (
  const [folder, refused, allowed] of [
    ["repo", REFUSED_ON_MAIN, ALLOWED_ON_MAIN],
    ["side", REFUSED_ON_FEATURE, ALLOWED_ON_FEATURE],
  ] as const
) {
  test(`protect-main refuses what it can't tell, and moves of main; in ${folder}`, async () => {
    using scratch = new Scratch();
    repositories(scratch);
    const told = await judge(scratch, [...refused, ...allowed], FLAGS, folder);
    assert.deepEqual(told, [...refused.map((one) => `no  ${one}`), ...allowed.map((one) => `yes ${one}`)]);
  });
}

test("a commit that protect-main can't place is not made", async () => {
  using scratch = new Scratch();
  repositories(scratch);
  const commit = "git -c user.name=t -c user.email=t@e.org commit -q --allow-empty -m second";
  const commands = [
    `cd /nonexist; ${commit}`,
    `pushd ../side; popd; ${commit}`,
    `echo "$(${commit})"`,
    `eval ${commit}`,
  ];
  const calls = commands.map((command) => ({ name: "Bash", args: { command } }));
  const { results } = await scratch.batch(calls, FLAGS, { cwd: path.join(scratch.work, "repo") });
  assert.deepEqual(results.map(({ outcome }) => outcome), commands.map(() => "denied"));
  assert.match(textOf(results[0]!), /on a branch that can't be told is refused; start with `cd FOLDER &&`/);
  assert.equal(git(scratch, "-C", "repo", "log", "--format=%s", "main").trim(), "first");
});

test("protect-main says what to do, and that works", async () => {
  using scratch = new Scratch();
  repositories(scratch);
  const run = (command: string) => ({ name: "Bash", args: { command } });
  const commit = "git -c user.name=t -c user.email=t@e.org commit -q --allow-empty -m second";
  const { results } = await scratch.batch([
    run("cd repo"),
    run(commit),
    { name: "run_shell_command", args: { command: commit, dir_path: "../repo" }, family: "gemini" },
    run("git switch -q -c mine"),
    run(commit),
  ], [...FLAGS, "--concurrency", "1"]);
  const outcomes = results.map(({ outcome }) => outcome);
  assert.deepEqual(outcomes, ["success", "denied", "denied", "success", "success"], JSON.stringify(results));
  assert.equal(
    textOf(results[1]!),
    "Cannot run Bash: protect-main: git commit on main is refused; git switch -c NAME first, push that " +
      "branch by name, and open a pull request",
  );
  assert.equal(git(scratch, "-C", "repo", "log", "--format=%s", "main").trim(), "first");
  assert.equal(git(scratch, "-C", "repo", "log", "--format=%s", "mine").trim(), "second\nfirst");
});

test("protect-main starts nothing of a repository's, and takes the branches of the settings", async () => {
  using scratch = new Scratch();
  repositories(scratch);
  git(scratch, "-C", "repo", "config", "core.fsmonitor", `touch ${scratch.work}/ran; false`);
  git(scratch, "-C", "repo", "config", "core.pager", `touch ${scratch.work}/ran`);
  scratch.settings({ plugins: { "protect-main": { branches: ["feature"] } } });
  assert.deepEqual(
    await judge(scratch, ["git -C repo commit -m x", "git -C side commit -m x"]),
    ["yes git -C repo commit -m x", "no  git -C side commit -m x"],
  );
  assert.equal(scratch.exists("ran"), false);
});

test("protect-main looks at what other plugins and hooks made of a call", async () => {
  using scratch = new Scratch();
  repositories(scratch);
  scratch.plugin(
    "z",
    `agent.on("tool_start", () => ({ args: { command: "git -C repo commit -m x" } }), { order: "late" });`,
  );
  assert.deepEqual(await judge(scratch, ["true"], [...FLAGS, "--plugins", "p"]), ["no  true"]);
});

test("protect-main comes to an end with twenty thousand openings of documents, quotes and folders", async () => {
  using scratch = new Scratch();
  const open = "git <<A '\n\"".repeat(20_000), deep = `${"cd a && ".repeat(20_000)}git commit -m x`;
  assert.deepEqual(await judge(scratch, [open, deep]), [`yes ${open}`, `no  ${deep}`]);
});
