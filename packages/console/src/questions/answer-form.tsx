import { ANSWER_CHARS_MAX } from "@gatehouse/protocol";
import { call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { useDraft } from "../ui/draft.js";
import { Checkbox, TextArea } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { Failure } from "../ui/notice.js";
import { notify } from "../ui/toast.js";
import { type Question, questionPath } from "./questions.js";

/** Writes or replaces the answer to a question. */
export function AnswerForm({ question }: { readonly question: Question }) {
  const { path } = useSite();
  const own = questionPath(path, question.question_id);
  const draft = useDraft(
    { answer: question.answer ?? "", publish: question.published },
    { keep: "answer" },
  );
  const { answer, publish } = draft.value;
  const save = useSave(
    () => call("POST", `${own}/answer`, { answer: answer.trim(), publish }),
    "questions",
  );
  const dismiss = useSave((undo: boolean) => call("POST", `${own}/dismiss`, { undo }), "questions");
  return (
    <Form
      of={save}
      done="Saved."
      onSubmit={() => save.mutate(undefined, { onSuccess: () => draft.saved(draft.value) })}
      className="flex flex-col gap-3"
    >
      <TextArea
        label="Your answer"
        name="answer"
        rows={4}
        required
        maxLength={ANSWER_CHARS_MAX}
        hint="Plain text on one line."
        value={answer}
        onChange={({ target }) => draft.set({ answer: target.value })}
      />
      <Checkbox
        label="Publish the question and the answer"
        hint="Agents that ask the same get your answer, and your agent page shows both. Check that the question contains no personal data."
        checked={publish}
        onChange={({ target }) => draft.set({ publish: target.checked })}
      />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" kind="act" disabled={save.isPending || answer.trim() === ""}>
          {publish ? "Publish answer" : "Save answer"}
        </Button>
        {question.state === "new" && (
          <Button
            disabled={dismiss.isPending}
            onClick={() =>
              dismiss.mutate(false, {
                onSuccess: () => {
                  draft.discard();
                  notify("Dismissed. You can still answer it.", () => dismiss.mutateAsync(true));
                },
              })
            }
          >
            Dismiss
          </Button>
        )}
      </div>
      {dismiss.isError && <Failure error={dismiss.error} />}
    </Form>
  );
}
