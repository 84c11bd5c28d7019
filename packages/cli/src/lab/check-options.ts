import { nearest } from "@jbdlab/policies";
import { z } from "zod";
import { InputError } from "./errors.js";

const text = (such: string) => z.string({ error: `a text such as "${such}"` }).optional();
const whole = (min: number, max: number) => {
  const error = `a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
};
const atLeast = (least: number) => {
  const error = `a number of at least ${least}`;
  return z.number({ error }).min(least, { error }).optional();
};
const list = <T extends z.ZodType>(each: T, what: string) =>
  z.array(each, { error: `a list of ${what}` }).min(1, { error: `at least one of ${what}` });
const seed = whole(0, 2 ** 32 - 1);

const world = {
  workload: text("fsmark,size=16KiB"),
  device: text("nvme,flush=2ms"),
  setting: text("kernel-runs"),
  maxTransactionDivisor: z.union([z.literal(3), z.literal(4)], { error: "3 or 4" }).optional(),
  flushMs: atLeast(0),
  threads: whole(1, 256).optional(),
  cpus: whole(1, 256).optional(),
  commitSeconds: atLeast(0.001),
  memory: text("1GiB"),
  wraps: atLeast(0),
  firstWritebackMs: atLeast(0),
};

const row = z.string({ error: 'rule/policy, such as "v4/jbd2"' });
const known = z.custom<never>().optional();

const RUN = z.strictObject({
  ...world,
  seed: seed.optional(),
  rule: row.optional(),
  policy: text("threshold:low=0.5"),
  journal: text("64MiB"),
});

const SWEEP = z.strictObject({
  ...world,
  journal: text("4MiB..256MiB"),
  rows: list(row, "rows").optional(),
  seeds: list(seed, "seeds").optional(),
  base: row.optional(),
  workers: whole(1, 1024).optional(),
  // Made by programs, not by people; the type checker looks after them.
  signal: known,
  onRun: known,
  onProgress: known,
  only: known,
  finished: known,
});

/** What TypeScript would have refused; plain JavaScript calls with anything. Throws InputError. */
export const checkRunOptions = (options: unknown): void => check("run", RUN, options);
export const checkSweepOptions = (options: unknown): void => check("sweep", SWEEP, options);

function check(call: string, schema: z.ZodObject, options: unknown): void {
  const issue = schema.safeParse(options).error?.issues[0];
  if (issue === undefined) return;
  if (issue.code === "unrecognized_keys") {
    const key = issue.keys[0] ?? "";
    const near = nearest(key, Object.keys(schema.shape));
    throw new InputError(`${call}: unknown option ${JSON.stringify(key)}; did you mean ${near}?`);
  }
  let found = options as Record<PropertyKey, unknown> | undefined;
  for (const key of issue.path) found = found?.[key] as typeof found;
  const where = [call, ...issue.path.map(String)].join(": ");
  const expected = issue.path.length === 0 ? "an object of options" : issue.message;
  const shown = typeof found === "bigint" ? `${found}n` : (JSON.stringify(found) ?? String(found));
  throw new InputError(`${where}: expected ${expected}, found ${shown.slice(0, 60)}`);
}
