// What these tests use of node.

declare module "node:test" {
  export default function test(name: string, body: () => void | Promise<void>): void;
}
declare module "node:assert/strict" {
  interface Assert {
    equal(actual: unknown, expected: unknown): void;
    deepEqual(actual: unknown, expected: unknown): void;
    match(actual: string, expected: RegExp): void;
    ok(found: unknown): void;
    throws(act: () => unknown, message: RegExp): void;
    rejects(made: Promise<unknown>, message: RegExp): Promise<void>;
  }
  const assert: Assert;
  export default assert;
}
