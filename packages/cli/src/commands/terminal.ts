import type { ChartOptions } from "../report/chart.js";

const UTF8 = /utf-?8/i;

/**
 * What standard output can show: colours only on a terminal without NO_COLOR, UTF-8 only where the
 * locale says so.
 */
export function terminal(flags: { ascii?: boolean }): ChartOptions {
  const { env, stdout } = process;
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  const tty = stdout.isTTY === true;
  return {
    color: tty && !env["NO_COLOR"] && env["TERM"] !== "dumb",
    utf8: flags.ascii !== true && UTF8.test(locale),
    width: tty ? Math.max(40, stdout.columns) : 72,
  };
}
