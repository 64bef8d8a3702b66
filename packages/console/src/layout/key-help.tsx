import { REVIEW_KEYS } from "../reviews/keys.js";
import { Dialog } from "../ui/dialog.js";
import { Key } from "../ui/key.js";

type Keys = readonly (readonly [keys: readonly string[], does: string])[];

const EVERYWHERE: Keys = [
  [["Ctrl K", "/"], "Find anything"],
  [["?"], "Show these keys"],
  [["Esc"], "Close what is open"],
];

const REVIEWS: Keys = REVIEW_KEYS.map(([key, does]) => [[key], does]);

const GROUPS: readonly (readonly [title: string, keys: Keys])[] = [
  ["Everywhere", EVERYWHERE],
  ["Reviews", REVIEWS],
  ["Charts", [[["←", "→"], "Read the number before or after"]]],
];

/** What the keyboard can do. */
export function KeyboardHelp({ open, onClose }: { readonly open: boolean; onClose(): void }) {
  return (
    <Dialog open={open} title="Keyboard" onClose={onClose}>
      <div className="flex flex-col gap-4 text-sm">
        {GROUPS.map(([title, keys]) => (
          <section key={title} aria-label={title} className="flex flex-col gap-2">
            <h2 className="font-medium">{title}</h2>
            <dl className="grid grid-cols-[7rem_1fr] gap-y-1.5">
              {keys.map(([names, does]) => (
                <div key={does} className="col-span-2 grid grid-cols-subgrid">
                  <dt className="flex gap-1">
                    {names.map((name) => (
                      <Key key={name}>{name}</Key>
                    ))}
                  </dt>
                  <dd className="text-soft">{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
