/** The steps from an empty site to the first sale, in order. */
export const STEPS = [
  "domain",
  "install",
  "products",
  "delivery",
  "payments",
  "rules",
  "notifications",
  "purchase",
] as const;
export type Step = (typeof STEPS)[number];

export const isStep = (text: unknown): text is Step => STEPS.some((step) => step === text);

/** What each step is called, and why it matters. */
export const STEP_WORDS: Readonly<Record<Step, readonly [title: string, about: string]>> = {
  domain: [
    "Verify your domain",
    "Agents can find your shop after you prove that the domain is yours.",
  ],
  install: [
    "Connect your website",
    "Paste the script into your pages. This step is done when the first visit was reported.",
  ],
  products: ["Add your products", "Add them one by one, or import a file."],
  delivery: [
    "Set up delivery",
    "Say where you deliver and what delivery costs. Until then, buyers cannot enter an address.",
  ],
  payments: [
    "Connect payments",
    "Start with the sandbox, where no money moves. Connect Stripe when you are ready.",
  ],
  rules: [
    "Set your rules",
    "Choose what agents can buy by themselves, and what needs your review.",
  ],
  notifications: [
    "Set up notifications",
    "Get an email or a webhook when a purchase needs your review.",
  ],
  purchase: [
    "Make a test purchase",
    "A test agent buys something, as a real agent does. No money moves.",
  ],
};
