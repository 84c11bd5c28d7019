import type { PolicyAnswers, PolicyView } from "@jbdlab/core-wasm";
import { ComposedDriver } from "./compose.js";
import { type DriverOptions, GuardedDriver, type NamedDriver } from "./driver.js";
import { PolicyError } from "./error.js";
import { type PolicySpec, parsePolicy } from "./spec.js";

export interface InstantiateOptions extends DriverOptions {
  /**
   * The journal size that was asked for, blocks. A policy with a `journalFactor` needs it: it
   * refuses to start unless the world's journal is that many times as big.
   */
  readonly journalBlocks?: number;
}

/**
 * A driver for the core. Reusable: `start` begins a new run with fresh state.
 *
 * Throws PolicyError for text that parsePolicy refuses, illegal settings and parts that do not go
 * together. `start` and `decide` throw it when the policy throws, returns something, writes to its
 * view, answers illegally, too often or too late.
 */
export function instantiate(
  spec: PolicySpec | string,
  options: InstantiateOptions = {},
): NamedDriver {
  const { parts } = typeof spec === "string" ? parsePolicy(spec) : spec;
  const drivers = parts.map((part) => new GuardedDriver(part, options));
  const [first] = drivers;
  const driver = first !== undefined && drivers.length === 1 ? first : new ComposedDriver(drivers);
  return driver.journalFactor === 1 ? driver : resized(driver, options.journalBlocks);
}

/** A world that ignored the factor would show mainline's figures under another name. */
function resized(driver: NamedDriver, asked: number | undefined): NamedDriver {
  const { name, journalFactor } = driver;
  const fail = (text: string): never => {
    throw new PolicyError(name, "wrong-journal", `policy ${name}: ${text}`);
  };
  if (asked === undefined) {
    return fail(`needs a journal ${journalFactor} times as big; say how big with journalBlocks`);
  }
  const expected = Math.floor(asked * journalFactor);
  return {
    ...pick(driver),
    start(view: PolicyView, answers: PolicyAnswers): void {
      if (view.journalBlocks !== expected) {
        fail(`expected a journal of ${expected} blocks, found ${view.journalBlocks}`);
      }
      driver.start(view, answers);
    },
    decide: (view, answers) => driver.decide(view, answers),
  };
}

function pick({ name, declared, settings, decisionMask, journalFactor }: NamedDriver) {
  return { name, declared, settings, decisionMask, journalFactor };
}
