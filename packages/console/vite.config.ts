import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Served by the service itself, below /console, from files that it holds. */
export default defineConfig({
  base: "/console/",
  plugins: [react(), tailwindcss()],
  resolve: { conditions: ["gatehouse-source"] },
  build: {
    target: "es2022",
    // Inlined images and fonts would be a reason to loosen the policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
