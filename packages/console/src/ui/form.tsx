import {
  type ComponentProps,
  createContext,
  useCallback,
  useContext,
  useEffect,
  useRef,
  useState,
} from "react";
import { Failure } from "./notice.js";
import { placeProblems, type ShownProblems, validitySentence, type Wording } from "./problems.js";
import { notify } from "./toast.js";

/** A change that a form makes. */
interface Change {
  readonly error: unknown;
  readonly isSuccess: boolean;
  readonly submittedAt: number;
}

interface Props extends Omit<ComponentProps<"form">, "onSubmit"> {
  readonly onSubmit: () => void;
  /** The change that it makes, whose problems are shown beside the fields with the same name. */
  readonly of?: Change | undefined;
  /** What it says about a value that is refused, by its path. */
  readonly wording?: Wording;
  /** What it says when the change was made. */
  readonly done?: string;
}

const NONE: ShownProblems = { beside: {}, rest: null };
const Problems = createContext<ShownProblems["beside"]>({});

/** What is wrong with a field of the form around it. */
export function useProblem(name: string): string | undefined {
  return useContext(Problems)[name];
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const isControl = (element: unknown): element is Control =>
  element instanceof HTMLInputElement ||
  element instanceof HTMLSelectElement ||
  element instanceof HTMLTextAreaElement;

const controlsOf = (form: HTMLFormElement) => [...form.elements].filter(isControl);
/** Fields that send nothing have no name. They are known by their ID. */
const keyOf = ({ name, id }: Control) => name || id;

/** What the browser refuses, in the words of the form. */
function unfitValues(form: HTMLFormElement, wording: Wording): ShownProblems["beside"] {
  const unfit = controlsOf(form).filter(
    (control) => control.willValidate && !control.validity.valid,
  );
  return Object.fromEntries(
    unfit.map((control) => [keyOf(control), validitySentence(control, wording)]),
  );
}

const NO_WORDING: Wording = {};

/** A form that does not reload the page, and says what is wrong beside the field that it is about. */
export function Form({ onSubmit, of, wording = NO_WORDING, done, children, ...form }: Props) {
  const place = useRef<HTMLFormElement>(null);
  const [problems, setProblems] = useState(NONE);
  /** Whether problems were just found. Correcting one moves nobody to the next. */
  const focuses = useRef(false);
  const show = useCallback((shown: ShownProblems) => {
    focuses.current = true;
    setProblems(shown);
  }, []);
  const { error, isSuccess, submittedAt } = of ?? { error: null, isSuccess: false, submittedAt: 0 };
  useEffect(() => {
    if (error === null || place.current === null) return setProblems(NONE);
    show(placeProblems(error, new Set(controlsOf(place.current).map(keyOf)), wording));
  }, [error, wording, show]);
  useEffect(() => {
    // Each submission is told, also if the one before came to the same.
    if (isSuccess && submittedAt > 0 && done !== undefined) notify(done);
  }, [isSuccess, submittedAt, done]);
  useEffect(() => {
    const isWrong = Object.keys(problems.beside).length > 0;
    if (focuses.current && isWrong) {
      const wrong = place.current?.querySelector<HTMLElement>("[aria-invalid=true]");
      // What is wrong must be seen, also if it is folded.
      wrong?.closest("details")?.setAttribute("open", "");
      wrong?.focus();
    }
    focuses.current = false;
  }, [problems]);
  return (
    <Problems value={problems.beside}>
      <form
        {...form}
        ref={place}
        noValidate
        onChange={({ target }) => {
          // A sentence about a value goes with the value.
          const key = isControl(target) ? keyOf(target) : "";
          if (problems.beside[key] === undefined) return;
          setProblems(({ beside: { [key]: _gone, ...beside }, rest }) => ({ beside, rest }));
        }}
        onSubmit={(event) => {
          event.preventDefault();
          const beside = unfitValues(event.currentTarget, wording);
          show({ beside, rest: null });
          if (Object.keys(beside).length === 0) onSubmit();
        }}
      >
        {children}
        {problems.rest !== null && <Failure error={problems.rest} />}
      </form>
    </Problems>
  );
}
