/** What a wildcard doesn't reach unless it is named: what programs made, and what isn't text. */

/** Folders that aren't entered. */
export const FOLDERS: ReadonlySet<string> = new Set([
  ...[".git", ".hg", ".svn", ".jj"],
  ...["node_modules", "bower_components", "vendor", ".venv", "venv", "__pycache__"],
  ...["dist", "build", "out", "target", "coverage", ".next", ".nuxt", ".cache", ".gradle", ".idea", ".tox"],
]);

/** Whole names. */
export const NAMES: ReadonlySet<string> = new Set([
  ...["package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb"],
  ...["deno.lock", "cargo.lock", "composer.lock", "gemfile.lock", "poetry.lock", "uv.lock", "go.sum"],
  ...[".ds_store", "thumbs.db"],
]);

/** Endings of names. */
export const ENDINGS: ReadonlySet<string> = new Set([
  ...["7z", "bz2", "gz", "jar", "rar", "tar", "tgz", "war", "whl", "xz", "zip", "zst"],
  ...["a", "bin", "class", "dll", "dylib", "exe", "lib", "node", "o", "obj", "pyc", "so", "wasm"],
  ...["db", "sqlite", "sqlite3", "parquet", "iso", "dmg"],
  ...["eot", "otf", "ttf", "woff", "woff2"],
  ...["aac", "avi", "flac", "mkv", "mov", "mp3", "mp4", "ogg", "wav", "webm"],
  ...["doc", "docx", "odt", "ppt", "pptx", "xls", "xlsx"],
]);

/** Endings of images and documents that are shown, where a pattern names them. */
export const MEDIA: ReadonlySet<string> = new Set([
  "png",
  "jpg",
  "jpeg",
  "gif",
  "webp",
  "bmp",
  "ico",
  "tiff",
  "pdf",
]);

/** What stands behind the last dot of a name, in lower case; `""` for none. */
export function endingOf(name: string): string {
  const at = name.lastIndexOf(".");
  return at > 0 ? name.slice(at + 1).toLowerCase() : "";
}
