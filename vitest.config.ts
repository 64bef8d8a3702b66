import { defineConfig } from "vitest/config";

const source = { conditions: ["gatehouse-source"] };

/** Tests run from TypeScript source; commands under test run from dist, built by `pretest`. */
export default defineConfig({
  resolve: source,
  ssr: { resolve: source },
  test: {
    reporters: ["default", "./test/coverage-reporter.ts"],
    pool: "threads",
    isolate: false,
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: { name: "protocol", include: ["packages/protocol/test/**/*.test.ts"] },
      },
      {
        extends: true,
        test: {
          // One project, since both load the service: it is transformed once for each of them.
          name: "server",
          include: ["packages/{server,cli}/test/**/*.test.ts"],
          globalSetup: ["test/postgres.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "edge",
          include: ["packages/{edge,safe-fetch}/test/**/*.test.ts"],
        },
      },
      {
        extends: true,
        test: { name: "house", include: ["test/**/*.test.ts"] },
      },
      {
        extends: true,
        test: {
          name: "conformance",
          include: ["conformance/**/*.test.ts"],
          globalSetup: ["conformance/target.ts"],
        },
      },
    ],
  },
});
