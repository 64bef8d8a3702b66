import { createRootRoute, createRoute, createRouter } from "@tanstack/react-router";
import { FirstSite, Shell } from "./layout/shell.js";
import { ReviewsPage } from "./reviews/reviews-page.js";

const root = createRootRoute();
const shell = createRoute({ getParentRoute: () => root, id: "shell", component: Shell });
const first = createRoute({ getParentRoute: () => shell, path: "/", component: FirstSite });
const reviews = createRoute({
  getParentRoute: () => shell,
  path: "/$site/reviews",
  component: ReviewsPage,
});

/** Every page of the console, by its address below /console. */
export const router = createRouter({
  routeTree: root.addChildren([shell.addChildren([first, reviews])]),
  basepath: "/console",
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
