import { Command, CommanderError } from "commander";
import { calibrateCommand } from "./commands/calibrate.js";
import { compareCommand } from "./commands/compare.js";
import { crashCommand } from "./commands/crash.js";
import { explainCommand } from "./commands/explain.js";
import { inspectCommand } from "./commands/inspect.js";
import { listCommand } from "./commands/list.js";
import { mergeCommand } from "./commands/merge.js";
import { newCommand } from "./commands/new.js";
import { recommendCommand } from "./commands/recommend.js";
import { runCommand } from "./commands/run.js";
import { sweepCommand } from "./commands/sweep.js";
import { tuneCommand } from "./commands/tune.js";
import { validateCommand } from "./commands/validate.js";
import { Exit, isBadInput, oneLine } from "./lab/errors.js";
import { VERSION } from "./lab/version.js";

/** Runs the command with these words; resolves to the exit code. */
export async function main(words: readonly string[]): Promise<number> {
  const program = new Command("jbdlab")
    .description(
      "a laboratory for jbd2, ext4's journal: cleanup rules and checkpoint policies compared",
    )
    .version(VERSION)
    .addCommand(runCommand())
    .addCommand(sweepCommand())
    .addCommand(mergeCommand())
    .addCommand(compareCommand())
    .addCommand(crashCommand())
    .addCommand(explainCommand())
    .addCommand(recommendCommand())
    .addCommand(tuneCommand())
    .addCommand(newCommand())
    .addCommand(inspectCommand())
    .addCommand(calibrateCommand())
    .addCommand(validateCommand())
    .addCommand(listCommand());
  const commands = program.commands.flatMap((command) => [command, ...command.commands]);
  for (const command of [program, ...commands]) {
    command.exitOverride().showSuggestionAfterError();
    // One clear line, the suggestion included.
    command.configureOutput({
      outputError: (text, write) => write(`${text.trim().replace(/\s*\n\s*/g, " ")}\n`),
    });
  }
  try {
    await program.parseAsync(words, { from: "user" });
    return Number(process.exitCode ?? Exit.Ok);
  } catch (error) {
    // Commander has printed its own message; help and version end with 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? Exit.Ok : Exit.BadInput;
    process.stderr.write(`error: ${oneLine(error)}\n`);
    if (isBadInput(error)) return Exit.BadInput;
    const replay = ["npx jbdlab", ...words].join(" ");
    process.stderr.write(`${error instanceof Error ? error.stack : ""}\nreplay: ${replay}\n`);
    return Exit.Internal;
  }
}

// A reader that has seen enough (| head) is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(Exit.Ok);
  throw error;
});

process.exitCode = await main(process.argv.slice(2));
