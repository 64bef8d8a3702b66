import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useList } from "../api/list.js";
import { useSite } from "../layout/sites.js";
import { CannotAsk, canAsk, skillsQuery } from "../settings/skills-query.js";
import { Badge } from "../ui/badge.js";
import { ExportButton } from "../ui/export-button.js";
import { Select } from "../ui/field.js";
import { useSetFilter } from "../ui/filter.js";
import { type Column, ListView } from "../ui/list-view.js";
import { Empty, Page } from "../ui/page.js";
import { skillTitle } from "../ui/skill-title.js";
import { ShortTime } from "../ui/time.js";
import { choicesOf, strangersText } from "../ui/words.js";
import type { Question } from "./questions.js";

const STATES = choicesOf("new", "answered", "dismissed");

function columnsFor(site: string): readonly Column<Question>[] {
  return [
    {
      head: "Question",
      sortBy: ({ question }) => question,
      cell: ({ question_id, question }) => (
        <Link
          to="/$site/questions/$id"
          params={{ site, id: question_id }}
          className="link break-words"
        >
          <bdi>{strangersText(question)}</bdi>
        </Link>
      ),
    },
    {
      head: "Action",
      narrow: "state",
      sortBy: ({ skill }) => skillTitle(skill),
      cell: ({ skill }) => skillTitle(skill),
    },
    {
      head: "State",
      narrow: "side",
      cell: ({ state, published }) => (
        <span className="inline-flex flex-wrap gap-2">
          <Badge word={state} look={state === "new" ? "warn" : "plain"} />
          {published && <Badge word="published" look="good" />}
        </span>
      ),
    },
    {
      head: "Times asked",
      right: true,
      narrow: "hidden",
      sortBy: ({ times_asked }) => times_asked,
      cell: ({ times_asked }) => times_asked.toLocaleString(),
    },
    {
      head: "Last asked",
      narrow: "time",
      sortBy: ({ last_asked_at }) => last_asked_at,
      cell: ({ last_asked_at }) => <ShortTime at={last_asked_at} />,
    },
  ];
}

/** What agents asked through the actions of a site. */
export function QuestionsPage() {
  const { name, path } = useSite();
  const { state = "new" } = useSearch({ from: "/shell/$site/questions" });
  const set = useSetFilter();
  const filter = { state: state === "all" ? undefined : state };
  const skills = useQuery(skillsQuery(path));
  const list = useList<Question>("questions", `${path}/questions`, filter);
  return (
    <Page
      title="Questions"
      purpose="What agents ask through your actions, in their own words. Publish an answer, and agents that ask the same question get it immediately."
      actions={<ExportButton path={`${path}/questions`} filter={filter} name="questions" />}
    >
      <div className="max-w-64">
        <Select
          label="State"
          value={state}
          choices={{ ...STATES, all: "All" }}
          onChoose={(chosen) => set("state", chosen === "new" ? "" : chosen)}
        />
      </div>
      <ListView
        list={list}
        columns={columnsFor(name)}
        label="Questions"
        keyOf={({ question_id }) => question_id}
        empty={
          <Empty
            title={state === "new" ? "No new questions" : "No questions found"}
            example="“Do you deliver to Malta?” · asked 3 times"
            action={
              <Link to="/$site/agents-see" params={{ site: name }} className="button-act">
                Ask as an agent
              </Link>
            }
          >
            <p>
              An agent can send a question with an action such as “Get pricing”. New questions
              appear here.
            </p>
            {skills.data !== undefined && !canAsk(skills.data) && (
              <p>
                <CannotAsk />
              </p>
            )}
          </Empty>
        }
      />
    </Page>
  );
}
