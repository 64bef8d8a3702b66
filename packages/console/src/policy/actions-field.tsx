import { useQuery } from "@tanstack/react-query";
import { useSite } from "../layout/sites.js";
import { skillsQuery } from "../settings/skills-query.js";
import { Checkbox } from "../ui/field.js";
import { skillTitle } from "../ui/skill-title.js";
import { wordsIn } from "../ui/words.js";

/** What platforms buy with, and what agents buy with. They are no settings of a site. */
const BUYING = ["complete_checkout", "place_order"];

/** Actions to choose by their titles. The value is their IDs. */
export function ActionsField({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  onChange(value: string): void;
}) {
  const { path } = useSite();
  const { data } = useQuery(skillsQuery(path));
  const own = new Map(data?.skills.map(({ id, title }) => [id, title]));
  const chosen = wordsIn(value);
  const ids = new Set([...BUYING, ...(data?.built_in ?? []), ...own.keys(), ...chosen]);
  return (
    <fieldset className="grid min-w-0 basis-full gap-x-4 gap-y-1 text-sm sm:grid-cols-3">
      <legend className="mb-1 font-medium">{label}</legend>
      {[...ids].map((id) => (
        <Checkbox
          key={id}
          label={own.get(id) ?? skillTitle(id)}
          checked={chosen.includes(id)}
          onChange={({ target }) =>
            onChange(
              [...chosen.filter((one) => one !== id), ...(target.checked ? [id] : [])].join(" "),
            )
          }
        />
      ))}
    </fieldset>
  );
}
