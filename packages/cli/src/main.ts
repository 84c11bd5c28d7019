import { Command, CommanderError } from "commander";
import { Exit, isBadInput, oneLine } from "./lab/errors.js";
import { VERSION } from "./lab/version.js";

/** A command: what the list of commands says of it, and the module that is loaded to run it. */
type Entry = readonly [name: string, summary: string, load: () => Promise<Command>];

const COMMANDS: readonly Entry[] = [
  [
    "run",
    "one world: what its handles waited for",
    async () => (await import("./commands/run.js")).runCommand(),
  ],
  [
    "sweep",
    "journal sizes x rules x policies x seeds, compared",
    async () => (await import("./commands/sweep.js")).sweepCommand(),
  ],
  [
    "merge",
    "put the shards of a sweep together",
    async () => (await import("./commands/merge.js")).mergeCommand(),
  ],
  [
    "explain",
    "why one row is slower than another",
    async () => (await import("./commands/explain.js")).explainCommand(),
  ],
  [
    "recommend",
    "which safe policy wins back most, and its price",
    async () => (await import("./commands/recommend.js")).recommendCommand(),
  ],
  [
    "tune",
    "search a policy's parameters",
    async () => (await import("./commands/tune.js")).tuneCommand(),
  ],
  [
    "crash",
    "search for a power cut that loses data",
    async () => (await import("./commands/crash.js")).crashCommand(),
  ],
  [
    "compare",
    "fs_mark runs in mmtests' own tables",
    async () => (await import("./commands/compare.js")).compareCommand(),
  ],
  [
    "inspect",
    "what files from a machine are and tell",
    async () => (await import("./commands/inspect.js")).inspectCommand(),
  ],
  [
    "calibrate",
    "fit device and workload to files from a machine",
    async () => (await import("./commands/calibrate.js")).calibrateCommand(),
  ],
  [
    "validate",
    "real kernels' runs beside their simulation",
    async () => (await import("./commands/validate.js")).validateCommand(),
  ],
  [
    "new",
    "a policy of your own to begin with",
    async () => (await import("./commands/new.js")).newCommand(),
  ],
  [
    "list",
    "policies, workloads, rules, devices, settings and their parameters",
    async () => (await import("./commands/list.js")).listCommand(),
  ],
];

/** The program; only the command that is asked for is loaded, so that help comes at once. */
async function programFor(words: readonly string[]): Promise<Command> {
  const program = new Command("jbdlab")
    .description("a laboratory for jbd2, ext4's journal: cleanup rules and checkpoint policies")
    .version(VERSION);
  const asked = words[0] === "help" ? words[1] : words.find((word) => !word.startsWith("-"));
  for (const [name, summary, load] of COMMANDS) {
    const command = name === asked ? await load() : new Command(name);
    program.addCommand(command.summary(summary));
  }
  return program;
}

/** Runs the command with these words; resolves to the exit code. */
export async function main(words: readonly string[]): Promise<number> {
  const program = await programFor(words);
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
