import { queryOptions } from "@tanstack/react-query";
import { type Api, call } from "../api/client.js";

export type Processor = Api["Processor"];

/** What the console advises instead of the service, which speaks to developers. */
const ADVICE: Readonly<Record<string, string>> = {
  mandates: "Let agents register and send signed requests.",
  policy: "Publish your rules.",
  rules: "Your rules decline every purchase. Publish rules that approve or review some.",
  rail: "Let agents pay through the payment provider.",
  settlement: "Confirm that the payment provider pays out to you.",
  skill: "Turn on the action “Place an order”. Your rules allow no other way to buy.",
  wallet: "Enter your Google Pay merchant ID.",
};

export const adviceFor = (name: string, advice = ""): string => ADVICE[name] ?? advice;

/** The payment provider of a site, and what is missing before agents can buy. */
export const processorQuery = (path: string) =>
  queryOptions({
    queryKey: ["processor", path],
    queryFn: () => call<Processor>("GET", `${path}/processor`),
  });
