import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useSite } from "../layout/sites.js";
import { CannotAsk } from "../settings/skills-query.js";
import { Button } from "../ui/button.js";
import { TextField } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { Snippet } from "../ui/id.js";
import { Failure, Notice } from "../ui/notice.js";
import { Card } from "../ui/page.js";
import { moneyText } from "../ui/words.js";
import { askShop, type FoundProduct, hasArrived, isAnswer, type ToolAnswer } from "./ask.js";

const QUESTION_CHARS_MAX = 200;

function priceText({ price_range: range }: FoundProduct): string {
  if (range === undefined) return "";
  const text = ({ amount, currency }: typeof range.min) => moneyText({ minor: amount, currency });
  const [low, high] = [text(range.min), text(range.max)];
  return low === high ? low : `${low} to ${high}`;
}

function Products({ products }: { readonly products: readonly FoundProduct[] }) {
  if (products.length === 0) return <p>No product matches these words.</p>;
  return (
    <ul className="flex flex-col gap-1">
      {products.map((product) => (
        <li key={product.id} className="flex justify-between gap-4">
          <span className="min-w-0 break-words">{product.title}</span>
          <strong className="shrink-0 font-semibold tabular-nums">{priceText(product)}</strong>
        </li>
      ))}
    </ul>
  );
}

function Answer({ answer }: { readonly answer: ToolAnswer }) {
  const { tool, sent, products, text, failed } = answer;
  const reply = answer.answer ?? text;
  return (
    <li className="flex flex-col gap-2 rounded-lg border border-line p-3 text-sm">
      {products !== undefined && !failed ? (
        <Products products={products} />
      ) : (
        <p className={failed ? "text-bad" : "break-words whitespace-pre-line"}>{reply}</p>
      )}
      <details className="text-xs text-soft">
        <summary>How the agent asked</summary>
        <div className="mt-2 flex flex-col gap-2">
          <p>
            It called the tool <code>{tool}</code> with <code>{JSON.stringify(sent)}</code> and got:
          </p>
          <Snippet label="answer" text={text} />
        </div>
      </details>
    </li>
  );
}

/** Asks the shop through its own tools, so that owners see what an agent gets. */
export function AskBox() {
  const { site, name } = useSite();
  const [question, setQuestion] = useState("");
  const askingShop = useMutation({ mutationFn: () => askShop(site, question) });
  if (site.status !== "verified") {
    return (
      <Card title="Ask as an agent">
        <Notice>Agents can ask your shop as soon as your domain is verified.</Notice>
      </Card>
    );
  }
  return (
    <Card title="Ask as an agent">
      <Form className="flex flex-wrap items-end gap-2" onSubmit={() => askingShop.mutate()}>
        <div className="min-w-0 flex-1 basis-72">
          <TextField
            label="Question"
            placeholder="What does a rose cost?"
            required
            maxLength={QUESTION_CHARS_MAX}
            value={question}
            onChange={({ target }) => setQuestion(target.value)}
          />
        </div>
        <Button type="submit" kind="act" disabled={askingShop.isPending || question.trim() === ""}>
          Ask
        </Button>
      </Form>
      {askingShop.isError && <Failure error={askingShop.error} />}
      {askingShop.isSuccess && !askingShop.data.some(isAnswer) && (
        <Notice>
          An agent would get no answer to this question.{" "}
          {askingShop.data.some(hasArrived) ? (
            <Link to="/$site/questions" params={{ site: name }} className="link">
              Publish an answer under Questions
            </Link>
          ) : (
            <CannotAsk />
          )}
        </Notice>
      )}
      {askingShop.isSuccess && askingShop.data.length > 0 && (
        <ul aria-label="Answers" className="flex flex-col gap-2">
          {askingShop.data.map((answer) => (
            <Answer key={answer.tool} answer={answer} />
          ))}
        </ul>
      )}
      <p className="text-xs text-soft">
        Your browser calls the same tools as agents. There is no AI behind this field. Your browser
        searches your products for the words of your question, and can send the question to your
        actions. The calls are recorded in your audit log. If an action receives the question, the
        question appears under Questions.
      </p>
    </Card>
  );
}
