import { expect, test } from "vitest";
import { LineFitter } from "./line-fit.js";

test("an exact line is found without error", () => {
  const fitter = new LineFitter();
  for (const x of [3, 10, 400, 984]) fitter.add(x, 80 + 0.04 * x);
  const fit = fitter.fit();
  expect(fit?.slope).toBeCloseTo(0.04, 9);
  expect(fit?.intercept).toBeCloseTo(80, 9);
  expect(fit?.slopeError).toBeLessThan(1e-6);
});

test("points of one x, or fewer than three, have no slope", () => {
  const fitter = new LineFitter();
  fitter.add(5, 1);
  fitter.add(6, 2);
  expect(fitter.fit()).toBeUndefined();
  const upright = new LineFitter();
  for (const y of [1, 2, 3, 4]) upright.add(5, y);
  expect(upright.fit()).toBeUndefined();
});
