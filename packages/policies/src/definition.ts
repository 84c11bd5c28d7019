import { z } from "zod";
import { found, PolicyError } from "./error.js";
import { complaint, type Parameter } from "./parameters.js";
import { POINT_NAMES } from "./points.js";

const line = z.string().trim().min(1);
const callable = z.custom<(...args: never[]) => unknown>(
  (value) => typeof value === "function",
  "expected a function",
);

const numberParameter = z
  .strictObject({
    kind: z.enum(["number", "integer", "share"]),
    default: z.number(),
    min: z.number(),
    max: z.number(),
    unit: z.string(),
    help: line,
  })
  .superRefine((parameter, context) => {
    const wrong =
      parameter.min > parameter.max ? "min is above max" : complaint(parameter, parameter.default);
    if (wrong !== undefined) {
      context.addIssue({ code: "custom", path: ["default"], message: wrong });
    }
  });

const booleanParameter = z.strictObject({
  kind: z.literal("boolean"),
  default: z.boolean(),
  help: line,
});

const choiceParameter = z
  .strictObject({
    kind: z.literal("choice"),
    default: z.string(),
    choices: z.array(z.string().regex(/^[\w.-]+$/)).min(1),
    help: line,
  })
  .superRefine((parameter, context) => {
    const wrong = complaint(parameter as Parameter, parameter.default);
    if (wrong !== undefined) {
      context.addIssue({ code: "custom", path: ["default"], message: wrong });
    }
  });

const schema = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9-]*$/, "expected lower case letters, digits and dashes"),
  summary: line.refine((text) => !text.includes("\n"), "expected one line"),
  idea: line,
  source: line,
  trigger: line,
  cost: line,
  whoWaits: line,
  whySafe: line,
  mapping: line.optional(),
  parameters: z.record(
    z.string().regex(/^[a-z][A-Za-z0-9]*$/, "expected a name like minFreed"),
    z.discriminatedUnion("kind", [numberParameter, booleanParameter, choiceParameter]),
  ),
  decisionPoints: z.array(z.enum(POINT_NAMES as [string, ...string[]])),
  needs: callable.optional(),
  settings: callable.optional(),
  journalFactor: callable.optional(),
  check: callable.optional(),
  state: callable.optional(),
  start: callable.optional(),
  decide: callable,
});

/** Throws PolicyError (definition): the policy, the field, what was expected. */
export function checkDefinition(definition: unknown): void {
  const result = schema.safeParse(definition);
  if (result.success) {
    return;
  }
  const given = (definition as { name?: unknown } | null | undefined)?.name;
  const name = typeof given === "string" ? given : `without a name (${found(definition)})`;
  const issue = result.error.issues[0];
  if (issue === undefined) {
    return;
  }
  const where = issue.path.length > 0 ? `${issue.path.join(".")}: ` : "";
  throw new PolicyError(name, "definition", `policy ${name}: ${where}${issue.message}`);
}
