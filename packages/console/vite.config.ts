import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { DESIGN_TOKENS } from "../protocol/src/design-tokens.ts";

/** The style sheet `design-tokens.css`: the values that all pages of the service share. */
const designTokens: Plugin = {
  name: "design-tokens",
  resolveId: (name) =>
    name === "virtual:design-tokens.css" ? "\0virtual:design-tokens.css" : undefined,
  load: (id) => (id === "\0virtual:design-tokens.css" ? DESIGN_TOKENS : undefined),
};

/** What every page needs, and what the first page shows. */
const FRAME =
  /console\/src\/(api|layout|overview|session|ui)\/|node_modules\/(react|react-dom|scheduler|lucide-react|@tanstack\/[^/]+)\//;
/** The pages people open every day. In one file they take 20 KB less than in fifty. */
const PAGES =
  /console\/src\/(account|agents|agents-see|decisions|delivery|orders|platforms|policy|products|proof|questions|reviews|settings|setup|visits)\/|console\/src\/audit\/(?!verify-files|export-day)/;

/** Served by the service itself, below /console, from files that it holds. */
export default defineConfig({
  base: "/console/",
  plugins: [designTokens, react(), tailwindcss()],
  resolve: { conditions: ["gatehouse-source"] },
  build: {
    target: "es2022",
    // Inlined images and fonts would be a reason to loosen the policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      // What libraries warn of is for their developers. Errors stay.
      treeshake: { manualPureFunctions: ["console.warn"], propertyReadSideEffects: false },
      // The way to passkeys is imported late because it imports the client itself.
      checks: { ineffectiveDynamicImport: false },
      output: {
        codeSplitting: {
          groups: [
            { name: "frame", test: FRAME, priority: 1 },
            { name: "pages", test: PAGES },
          ],
        },
      },
    },
  },
});
