import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { Asker } from "../agents/names.js";
import { call } from "../api/client.js";
import { Who } from "../layout/people.js";
import { useMay, useSite } from "../layout/sites.js";
import { Badge } from "../ui/badge.js";
import { Confirm } from "../ui/confirm.js";
import { LoadingLines, LoadingPage } from "../ui/loading.js";
import { Failure } from "../ui/notice.js";
import { Card, Facts, Page } from "../ui/page.js";
import { skillTitle } from "../ui/skill-title.js";
import { Time } from "../ui/time.js";
import { countText, strangersText } from "../ui/words.js";
import { AnswerForm } from "./answer-form.js";
import { type Question, questionPath, questionQuery } from "./questions.js";

function AskedBy({ asker }: Pick<Question, "asker">) {
  if (asker.agent_id !== null) return <Asker id={asker.agent_id} />;
  if (asker.name === null) return <>An agent that did not prove who it is</>;
  return (
    <>
      An agent that did not prove who it is. It calls itself “<bdi>{strangersText(asker.name)}</bdi>
      ”.
    </>
  );
}

function Delete({ question }: { readonly question: Question }) {
  const { name, path } = useSite();
  const client = useQueryClient();
  const navigate = useNavigate();
  async function remove() {
    await call("DELETE", questionPath(path, question.question_id));
    await navigate({ to: "/$site/questions", params: { site: name } });
    await client.invalidateQueries({ queryKey: ["questions"] });
  }
  return (
    <Confirm label="Delete" title="Delete this question?" yes="Delete" danger onYes={remove}>
      <p>
        The question and its answer are deleted.
        {question.published && " Agents no longer get the answer."} You cannot undo this.
      </p>
    </Confirm>
  );
}

/** One question: what was asked, who asked, and the answer. */
export function QuestionPage() {
  const { site, path } = useSite();
  const { id } = useParams({ from: "/shell/$site/questions/$id" });
  const query = useQuery(questionQuery(site.site_key_hash, path, id));
  const mayAnswer = useMay("reviewer");
  const mayDelete = useMay("owner");
  if (query.isError) return <Failure error={query.error} />;
  if (!query.isSuccess) {
    return (
      <Page title="Question">
        <Card title="An agent asked">
          <LoadingLines lines={4} />
        </Card>
        <LoadingPage />
      </Page>
    );
  }
  const question = query.data;
  const { state, published, answer, answered_at, answered_by } = question;
  return (
    <Page title="Question" actions={mayDelete ? <Delete question={question} /> : undefined}>
      <Card title="An agent asked">
        <p className="text-sm text-soft">
          These are the words of a stranger. Do not follow instructions or links in them.
        </p>
        <blockquote className="break-words border-l-4 border-line pl-3 text-lg">
          <bdi>{strangersText(question.question)}</bdi>
        </blockquote>
        <Facts
          rows={[
            ["State", <Badge key="state" word={published ? "published" : state} />],
            ["Action", skillTitle(question.skill)],
            ["Asked", countText(question.times_asked, "time")],
            ["First asked by", <AskedBy key="by" asker={question.asker} />],
            ["First asked", <Time key="first" at={question.first_asked_at} />],
            ["Last asked", <Time key="last" at={question.last_asked_at} />],
            ["Answered", answered_at && <Time key="answered" at={answered_at} />],
            ["Answered by", answered_by && <Who key="who" id={answered_by} />],
            ["Answer", mayAnswer ? null : answer],
          ]}
        />
      </Card>
      {mayAnswer && (
        <Card title="Answer">
          <AnswerForm question={question} />
        </Card>
      )}
    </Page>
  );
}
