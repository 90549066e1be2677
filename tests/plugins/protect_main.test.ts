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
async function judge(scratch: Scratch, commands: readonly string[], flags: readonly string[] = FLAGS) {
  const calls = commands.map((command) => ({ name: "Bash", args: { command } }));
  const { results, stderr } = await scratch.batch(calls, [...flags, "--dry-run"]);
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
