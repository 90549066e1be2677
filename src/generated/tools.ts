// Made by scripts/generate.ts from the tools, faces and commands. Do not edit: npm run build
export const ASSETS: Readonly<Record<string, { description: string; schema: object; grammar?: string }>> = {
  "canonical:read_file": {
    "description": "Reads a text file and returns its lines, numbered. At most 2,000 lines at a time; a longer file says how to\ncontinue. Binary files are named, not shown.",
    "schema": {
      "type": "object",
      "properties": {
        "path": {
          "type": "string",
          "minLength": 1,
          "description": "absolute, relative to the working folder, or ~/…"
        },
        "offset": {
          "description": "number of the first line, from 1",
          "type": "integer",
          "minimum": 1
        },
        "limit": {
          "description": "how many lines; 2,000 where absent",
          "type": "integer",
          "minimum": 1
        }
      },
      "required": [
        "path"
      ],
      "additionalProperties": false
    }
  },
  "canonical:write_file": {
    "description": "Writes a whole file, making missing folders. What was there is replaced at once: nobody ever sees half of it.\nUse the editing tool to change parts of a file.",
    "schema": {
      "type": "object",
      "properties": {
        "path": {
          "type": "string",
          "minLength": 1,
          "description": "absolute, relative to the working folder, or ~/…"
        },
        "content": {
          "type": "string",
          "description": "the whole new text"
        },
        "expected_sha256": {
          "description": "hash of the content that is to be replaced; its first 8 digits will do",
          "type": "string",
          "pattern": "^[0-9a-f]{8,64}$"
        },
        "create_only": {
          "description": "refuse where a file exists",
          "type": "boolean"
        }
      },
      "required": [
        "path",
        "content"
      ],
      "additionalProperties": false
    }
  },
  "canonical:edit_file": {
    "description": "Replaces exact text in a file. Each old text must stand in exactly one place unless told otherwise, and is\ntaken literally, as is the new text. All edits of a call are made, or none. Line ends, encoding and the rest\nof the file stay as they are.",
    "schema": {
      "type": "object",
      "properties": {
        "path": {
          "type": "string",
          "minLength": 1,
          "description": "absolute, relative to the working folder, or ~/…"
        },
        "edits": {
          "minItems": 1,
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "old_string": {
                "type": "string",
                "description": "the exact text to replace; empty creates the file"
              },
              "new_string": {
                "type": "string",
                "description": "what stands in its place, taken literally"
              },
              "replace_all": {
                "description": "replace every place",
                "type": "boolean"
              },
              "expected_replacements": {
                "description": "how many places there must be",
                "type": "integer",
                "minimum": 1
              }
            },
            "required": [
              "old_string",
              "new_string"
            ],
            "additionalProperties": false
          },
          "description": "applied in order, each to the result of the one before; all or nothing"
        },
        "expected_sha256": {
          "description": "hash of the content that the edits were made for; its first 8 digits will do",
          "type": "string",
          "pattern": "^[0-9a-f]{8,64}$"
        }
      },
      "required": [
        "path",
        "edits"
      ],
      "additionalProperties": false
    }
  },
  "canonical:apply_patch": {
    "description": "Applies a patch to files: all of its hunks, or none. It may add, delete, change and move files.\n\n*** Begin Patch *** Add File: path +each line of the new file *** Update File: path *** Move to: new/path\n(optional) @@ a line that comes before (optional; several narrow the place) a line that stays -a line that\ngoes +a line that comes *** End of File (optional: the lines are the end of the file) *** Delete File: path\n*** End Patch\n\nShow about three lines around each change, exactly as they are. Paths are relative to the working folder.",
    "schema": {
      "type": "object",
      "properties": {
        "input": {
          "type": "string",
          "minLength": 1,
          "description": "the whole patch, from *** Begin Patch to *** End Patch"
        }
      },
      "required": [
        "input"
      ],
      "additionalProperties": false
    }
  },
  "canonical:shell": {
    "description": "Runs a shell command and returns what it printed and its exit code. It gets no standard input and no terminal.\nLong output is cut in the middle and kept in a file that the result names. After its time limit the command\nand all it started are ended.",
    "schema": {
      "type": "object",
      "properties": {
        "command": {
          "anyOf": [
            {
              "type": "string",
              "minLength": 1
            },
            {
              "minItems": 1,
              "type": "array",
              "items": {
                "type": "string"
              }
            }
          ],
          "description": "text for the shell, or a program and its arguments as a list"
        },
        "workdir": {
          "description": "the folder to run in; the working folder where absent",
          "type": "string",
          "minLength": 1
        },
        "timeout_ms": {
          "description": "120,000 where absent, 600,000 at most",
          "type": "integer",
          "minimum": 1,
          "maximum": 600000
        },
        "login": {
          "description": "run as a login shell",
          "type": "boolean"
        },
        "description": {
          "description": "what it does, in a few words, for people",
          "type": "string"
        }
      },
      "required": [
        "command"
      ],
      "additionalProperties": false
    }
  },
  "claude:Read": {
    "description": "Reads a file from the local filesystem.\n\n- file_path is absolute, relative to the working directory, or starts with ~/.\n- Reads up to 2,000 lines from the start; use offset and limit to read further. Lines over 2,000 characters\n  are clipped.\n- Each line of the result is its number, a tab, and its text.\n- Directories are not read: list them with a shell command.",
    "schema": {
      "type": "object",
      "properties": {
        "file_path": {
          "type": "string",
          "minLength": 1,
          "description": "The absolute path to the file to read"
        },
        "offset": {
          "description": "The line number to start reading from, from 1",
          "type": "integer",
          "minimum": 1
        },
        "limit": {
          "description": "The number of lines to read",
          "type": "integer",
          "minimum": 1
        }
      },
      "required": [
        "file_path"
      ],
      "additionalProperties": false
    }
  },
  "claude:Write": {
    "description": "Writes a file to the local filesystem, replacing one that is there.\n\n- Missing directories are created. The change is atomic.\n- To change a part of an existing file, use Edit: it sends less and touches nothing else.",
    "schema": {
      "type": "object",
      "properties": {
        "file_path": {
          "type": "string",
          "minLength": 1,
          "description": "The absolute path to the file to write"
        },
        "content": {
          "type": "string",
          "description": "The content to write to the file"
        }
      },
      "required": [
        "file_path",
        "content"
      ],
      "additionalProperties": false
    }
  },
  "claude:Edit": {
    "description": "Replaces exact text in a file.\n\n- old_string must stand in the file exactly once, to the character, without the line-number prefix of Read.\n  Add lines around it until it is unique, or set replace_all.\n- new_string is stored literally. Line ends and the rest of the file are kept.\n- An empty old_string creates a file that doesn't exist.",
    "schema": {
      "type": "object",
      "properties": {
        "file_path": {
          "type": "string",
          "minLength": 1,
          "description": "The absolute path to the file to modify"
        },
        "old_string": {
          "type": "string",
          "description": "The text to replace"
        },
        "new_string": {
          "type": "string",
          "description": "The text to replace it with (must be different from old_string)"
        },
        "replace_all": {
          "description": "Replace all occurrences of old_string (default false)",
          "type": "boolean"
        },
        "expected_replacements": {
          "description": "How many occurrences there must be (default 1)",
          "type": "integer",
          "minimum": 1
        }
      },
      "required": [
        "file_path",
        "old_string",
        "new_string"
      ],
      "additionalProperties": false
    }
  },
  "claude:MultiEdit": {
    "description": "Makes several edits to one file in one call. The edits are applied in order, each to the result of the one\nbefore; if one can't be applied, none is. Each old_string must be unique at its turn unless replace_all is\nset.",
    "schema": {
      "type": "object",
      "properties": {
        "file_path": {
          "type": "string",
          "minLength": 1,
          "description": "The absolute path to the file to modify"
        },
        "edits": {
          "minItems": 1,
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "old_string": {
                "type": "string",
                "description": "The text to replace"
              },
              "new_string": {
                "type": "string",
                "description": "The text to replace it with"
              },
              "replace_all": {
                "description": "Replace all occurrences of old_string (default false)",
                "type": "boolean"
              }
            },
            "required": [
              "old_string",
              "new_string"
            ],
            "additionalProperties": false
          },
          "description": "Edits in the order in which they are applied, each to the result of the one before"
        }
      },
      "required": [
        "file_path",
        "edits"
      ],
      "additionalProperties": false
    }
  },
  "claude:Bash": {
    "description": "Executes a bash command and returns its output and exit code.\n\n- Commands run in the working directory without a terminal and with empty stdin.\n- timeout is in milliseconds: 120000 by default, 600000 at most. Then the command and everything it started\n  are ended.\n- Output over 30,000 characters is cut in the middle; the whole is kept in a file that the result names.\n- To use a secret, name its environment variable ($NAME); its value is never shown.",
    "schema": {
      "type": "object",
      "properties": {
        "command": {
          "type": "string",
          "minLength": 1,
          "description": "The command to execute"
        },
        "description": {
          "description": "What this command does, in 5-10 words",
          "type": "string"
        },
        "timeout": {
          "description": "Timeout in milliseconds (max 600000, default 120000)",
          "type": "integer",
          "minimum": 1,
          "maximum": 600000
        }
      },
      "required": [
        "command"
      ],
      "additionalProperties": false
    }
  },
  "codex:read_file": {
    "description": "Reads a text file and returns its lines, numbered. At most 2,000 lines at a time; a longer file says how to\ncontinue. Binary files are named, not shown.",
    "schema": {
      "type": "object",
      "properties": {
        "file_path": {
          "type": "string",
          "minLength": 1,
          "description": "Absolute path to the file"
        },
        "offset": {
          "description": "The line number to start reading from. Must be 1 or greater",
          "type": "integer",
          "minimum": 1
        },
        "limit": {
          "description": "The maximum number of lines to return",
          "type": "integer",
          "minimum": 1
        }
      },
      "required": [
        "file_path"
      ],
      "additionalProperties": false
    }
  },
  "codex:ReadFile": {
    "description": "Reads a text file and returns its lines, numbered. At most 2,000 lines at a time; a longer file says how to\ncontinue. Binary files are named, not shown.",
    "schema": {
      "type": "object",
      "properties": {
        "file_path": {
          "type": "string",
          "minLength": 1,
          "description": "Absolute path to the file"
        },
        "offset": {
          "description": "The line number to start reading from. Must be 1 or greater",
          "type": "integer",
          "minimum": 1
        },
        "limit": {
          "description": "The maximum number of lines to return",
          "type": "integer",
          "minimum": 1
        }
      },
      "required": [
        "file_path"
      ],
      "additionalProperties": false
    }
  },
  "codex:apply_patch": {
    "description": "Applies a patch to files: all of its hunks, or none. It may add, delete, change and move files.\n\n*** Begin Patch *** Add File: path +each line of the new file *** Update File: path *** Move to: new/path\n(optional) @@ a line that comes before (optional; several narrow the place) a line that stays -a line that\ngoes +a line that comes *** End of File (optional: the lines are the end of the file) *** Delete File: path\n*** End Patch\n\nShow about three lines around each change, exactly as they are. Paths are relative to the working folder.",
    "schema": {
      "type": "object",
      "properties": {
        "input": {
          "type": "string",
          "minLength": 1,
          "description": "The entire contents of the apply_patch command"
        }
      },
      "required": [
        "input"
      ],
      "additionalProperties": false
    },
    "grammar": "start: begin hunk+ end\nbegin: \"*** Begin Patch\" LF\nend: \"*** End Patch\" LF?\n\nhunk: add_file | delete_file | update_file\nadd_file: \"*** Add File: \" path LF added+\ndelete_file: \"*** Delete File: \" path LF\nupdate_file: \"*** Update File: \" path LF move? change?\nmove: \"*** Move to: \" path LF\n\npath: /(.+)/\nadded: \"+\" /(.*)/ LF\n\nchange: (context | line)+ end_of_file?\ncontext: (\"@@\" | \"@@ \" /(.+)/) LF\nline: (\" \" | \"-\" | \"+\") /(.*)/ LF\nend_of_file: \"*** End of File\" LF\n\n%import common.LF"
  },
  "codex:ApplyPatch": {
    "description": "Applies a patch to files: all of its hunks, or none. It may add, delete, change and move files.\n\n*** Begin Patch *** Add File: path +each line of the new file *** Update File: path *** Move to: new/path\n(optional) @@ a line that comes before (optional; several narrow the place) a line that stays -a line that\ngoes +a line that comes *** End of File (optional: the lines are the end of the file) *** Delete File: path\n*** End Patch\n\nShow about three lines around each change, exactly as they are. Paths are relative to the working folder.",
    "schema": {
      "type": "object",
      "properties": {
        "input": {
          "type": "string",
          "minLength": 1,
          "description": "The entire contents of the apply_patch command"
        }
      },
      "required": [
        "input"
      ],
      "additionalProperties": false
    },
    "grammar": "start: begin hunk+ end\nbegin: \"*** Begin Patch\" LF\nend: \"*** End Patch\" LF?\n\nhunk: add_file | delete_file | update_file\nadd_file: \"*** Add File: \" path LF added+\ndelete_file: \"*** Delete File: \" path LF\nupdate_file: \"*** Update File: \" path LF move? change?\nmove: \"*** Move to: \" path LF\n\npath: /(.+)/\nadded: \"+\" /(.*)/ LF\n\nchange: (context | line)+ end_of_file?\ncontext: (\"@@\" | \"@@ \" /(.+)/) LF\nline: (\" \" | \"-\" | \"+\") /(.*)/ LF\nend_of_file: \"*** End of File\" LF\n\n%import common.LF"
  },
  "codex:shell_command": {
    "description": "Runs a shell command and returns what it printed and its exit code. It gets no standard input and no terminal.\nLong output is cut in the middle and kept in a file that the result names. After its time limit the command\nand all it started are ended.",
    "schema": {
      "type": "object",
      "properties": {
        "command": {
          "type": "string",
          "minLength": 1,
          "description": "The shell script to execute in the user's default shell"
        },
        "workdir": {
          "description": "The working directory to execute the command in",
          "type": "string",
          "minLength": 1
        },
        "timeout_ms": {
          "description": "The timeout for the command in milliseconds",
          "type": "integer",
          "minimum": 1,
          "maximum": 600000
        },
        "login": {
          "description": "Whether to run the shell with login shell semantics",
          "type": "boolean"
        }
      },
      "required": [
        "command"
      ],
      "additionalProperties": false
    }
  },
  "codex:ShellCommand": {
    "description": "Runs a shell command and returns what it printed and its exit code. It gets no standard input and no terminal.\nLong output is cut in the middle and kept in a file that the result names. After its time limit the command\nand all it started are ended.",
    "schema": {
      "type": "object",
      "properties": {
        "command": {
          "type": "string",
          "minLength": 1,
          "description": "The shell script to execute in the user's default shell"
        },
        "workdir": {
          "description": "The working directory to execute the command in",
          "type": "string",
          "minLength": 1
        },
        "timeout_ms": {
          "description": "The timeout for the command in milliseconds",
          "type": "integer",
          "minimum": 1,
          "maximum": 600000
        },
        "login": {
          "description": "Whether to run the shell with login shell semantics",
          "type": "boolean"
        }
      },
      "required": [
        "command"
      ],
      "additionalProperties": false
    }
  },
  "gemini:read_file": {
    "description": "Reads a text file and returns its lines, numbered. At most 2,000 lines at a time; a longer file says how to\ncontinue. Binary files are named, not shown.",
    "schema": {
      "type": "object",
      "properties": {
        "file_path": {
          "type": "string",
          "minLength": 1,
          "description": "The path to the file to read"
        },
        "offset": {
          "description": "The 0-based line number to start reading from",
          "type": "integer",
          "minimum": 0
        },
        "limit": {
          "description": "Maximum number of lines to read",
          "type": "integer",
          "minimum": 1
        }
      },
      "required": [
        "file_path"
      ],
      "additionalProperties": false
    }
  },
  "gemini:ReadFileGemini": {
    "description": "Reads a text file and returns its lines, numbered. At most 2,000 lines at a time; a longer file says how to\ncontinue. Binary files are named, not shown.",
    "schema": {
      "type": "object",
      "properties": {
        "file_path": {
          "type": "string",
          "minLength": 1,
          "description": "The path to the file to read"
        },
        "offset": {
          "description": "The 0-based line number to start reading from",
          "type": "integer",
          "minimum": 0
        },
        "limit": {
          "description": "Maximum number of lines to read",
          "type": "integer",
          "minimum": 1
        }
      },
      "required": [
        "file_path"
      ],
      "additionalProperties": false
    }
  },
  "gemini:write_file": {
    "description": "Writes a whole file, making missing folders. What was there is replaced at once: nobody ever sees half of it.\nUse the editing tool to change parts of a file.",
    "schema": {
      "type": "object",
      "properties": {
        "file_path": {
          "type": "string",
          "minLength": 1,
          "description": "The path to the file to write to"
        },
        "content": {
          "type": "string",
          "description": "The content to write to the file"
        }
      },
      "required": [
        "file_path",
        "content"
      ],
      "additionalProperties": false
    }
  },
  "gemini:WriteFileGemini": {
    "description": "Writes a whole file, making missing folders. What was there is replaced at once: nobody ever sees half of it.\nUse the editing tool to change parts of a file.",
    "schema": {
      "type": "object",
      "properties": {
        "file_path": {
          "type": "string",
          "minLength": 1,
          "description": "The path to the file to write to"
        },
        "content": {
          "type": "string",
          "description": "The content to write to the file"
        }
      },
      "required": [
        "file_path",
        "content"
      ],
      "additionalProperties": false
    }
  },
  "gemini:replace": {
    "description": "Replaces exact text in a file. Each old text must stand in exactly one place unless told otherwise, and is\ntaken literally, as is the new text. All edits of a call are made, or none. Line ends, encoding and the rest\nof the file stay as they are.",
    "schema": {
      "type": "object",
      "properties": {
        "file_path": {
          "type": "string",
          "minLength": 1,
          "description": "The path to the file to modify"
        },
        "old_string": {
          "type": "string",
          "description": "The exact literal text to replace"
        },
        "new_string": {
          "type": "string",
          "description": "The exact literal text to replace old_string with"
        },
        "expected_replacements": {
          "description": "Number of replacements expected (default 1)",
          "type": "integer",
          "minimum": 1
        }
      },
      "required": [
        "file_path",
        "old_string",
        "new_string"
      ],
      "additionalProperties": false
    }
  },
  "gemini:Replace": {
    "description": "Replaces exact text in a file. Each old text must stand in exactly one place unless told otherwise, and is\ntaken literally, as is the new text. All edits of a call are made, or none. Line ends, encoding and the rest\nof the file stay as they are.",
    "schema": {
      "type": "object",
      "properties": {
        "file_path": {
          "type": "string",
          "minLength": 1,
          "description": "The path to the file to modify"
        },
        "old_string": {
          "type": "string",
          "description": "The exact literal text to replace"
        },
        "new_string": {
          "type": "string",
          "description": "The exact literal text to replace old_string with"
        },
        "expected_replacements": {
          "description": "Number of replacements expected (default 1)",
          "type": "integer",
          "minimum": 1
        }
      },
      "required": [
        "file_path",
        "old_string",
        "new_string"
      ],
      "additionalProperties": false
    }
  },
  "gemini:run_shell_command": {
    "description": "Runs a shell command and returns what it printed and its exit code. It gets no standard input and no terminal.\nLong output is cut in the middle and kept in a file that the result names. After its time limit the command\nand all it started are ended.",
    "schema": {
      "type": "object",
      "properties": {
        "command": {
          "type": "string",
          "minLength": 1,
          "description": "Exact bash command to execute"
        },
        "description": {
          "description": "Brief description of the command for the user",
          "type": "string"
        },
        "dir_path": {
          "description": "The directory to run the command in",
          "type": "string",
          "minLength": 1
        }
      },
      "required": [
        "command"
      ],
      "additionalProperties": false
    }
  },
  "gemini:RunShellCommand": {
    "description": "Runs a shell command and returns what it printed and its exit code. It gets no standard input and no terminal.\nLong output is cut in the middle and kept in a file that the result names. After its time limit the command\nand all it started are ended.",
    "schema": {
      "type": "object",
      "properties": {
        "command": {
          "type": "string",
          "minLength": 1,
          "description": "Exact bash command to execute"
        },
        "description": {
          "description": "Brief description of the command for the user",
          "type": "string"
        },
        "dir_path": {
          "description": "The directory to run the command in",
          "type": "string",
          "minLength": 1
        }
      },
      "required": [
        "command"
      ],
      "additionalProperties": false
    }
  }
};
