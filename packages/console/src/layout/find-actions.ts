import { useNavigate } from "@tanstack/react-router";
import {
  CirclePause,
  CirclePlay,
  type LucideIcon,
  Package,
  Plus,
  UserPlus,
  UserRound,
} from "lucide-react";
import { call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { notify } from "../ui/toast.js";
import { useMay, useSite } from "./sites.js";

/** Something to do, which is found by its label or by these words. */
export interface Action {
  readonly label: string;
  readonly words: string;
  readonly icon: LucideIcon;
  run(): void;
}

/** What the person can do from every page of the site. */
export function useActions(onPause: () => void): readonly Action[] {
  const navigate = useNavigate();
  const { site, path, name } = useSite();
  const mayChange = useMay("owner");
  const resume = useSave(() => call("POST", `${path}/resume`, {}), "sites", "processor");
  const params = { site: name };
  const account: Action = {
    label: "Your account",
    words: "passkey sessions sign out",
    icon: UserRound,
    run: () => void navigate({ to: "/account" }),
  };
  if (!mayChange) return [account];
  const selling: Action =
    site.paused_at === null
      ? { label: "Pause sales", words: "pause the shop stop", icon: CirclePause, run: onPause }
      : {
          label: "Resume sales",
          words: "resume the shop start",
          icon: CirclePlay,
          run: () => resume.mutate(undefined, { onError: ({ message }) => notify(message) }),
        };
  return [
    {
      label: "Add a product",
      words: "new product",
      icon: Plus,
      run: () => void navigate({ to: "/$site/products/new", params }),
    },
    {
      label: "Invite a person",
      words: "new colleague people invite",
      icon: UserPlus,
      run: () =>
        void navigate({ to: "/$site/settings/$part", params: { ...params, part: "people" } }),
    },
    {
      label: "Refund an order",
      words: "money back return",
      icon: Package,
      run: () => void navigate({ to: "/$site/orders", params, search: { payment: "captured" } }),
    },
    selling,
    account,
  ];
}
