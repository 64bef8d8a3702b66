import { type ComponentProps, type ReactNode, useId } from "react";
import { useProblem } from "./form.js";

const LOOK =
  "w-full rounded-lg border border-line bg-card px-3 py-1.5 text-sm disabled:opacity-60 aria-invalid:border-bad";

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  /** What is wrong with the value. The form around it says so too, by the name of the field. */
  readonly error?: string | null | undefined;
}

interface LabelledProps extends FieldProps {
  readonly id: string;
  readonly children: ReactNode;
}

function Labelled({ id, label, hint, error, children }: LabelledProps) {
  return (
    <div className="flex min-w-0 flex-col gap-1 text-sm">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children}
      <Below id={id} hint={hint} error={error} />
    </div>
  );
}

/** What stands below a control: what is wrong with its value, and help. */
function Below({ id, hint, error }: Pick<LabelledProps, "id" | "hint" | "error">) {
  return (
    <>
      {error && (
        <span id={`${id}-error`} role="alert" className="text-xs font-medium text-bad">
          {error}
        </span>
      )}
      {hint !== undefined && (
        <span id={`${id}-hint`} className="text-xs text-soft">
          {hint}
        </span>
      )}
    </>
  );
}

/** Connects a control with its label, its help and what is wrong with it. */
function useTied({ hint, error, name }: Omit<FieldProps, "label"> & { name?: string | undefined }) {
  const id = useId();
  const problem = useProblem(name ?? id);
  const wrong = error ?? problem;
  const described = [wrong && `${id}-error`, hint !== undefined && `${id}-hint`].filter(Boolean);
  const control = {
    id,
    ...(described.length === 0 ? {} : { "aria-describedby": described.join(" ") }),
    ...(wrong ? { "aria-invalid": true } : {}),
  };
  return { control, below: { id, hint, error: wrong } };
}

export function TextField({ label, hint, error, ...rest }: FieldProps & ComponentProps<"input">) {
  const { control, below } = useTied({ hint, error, name: rest.name });
  return (
    <Labelled {...below} label={label}>
      <input className={`${LOOK} h-9`} {...control} {...rest} />
    </Labelled>
  );
}

interface TextAreaProps extends FieldProps, ComponentProps<"textarea"> {
  /** For JSON and keys. */
  readonly code?: boolean;
}

export function TextArea({ label, hint, error, code = false, ...rest }: TextAreaProps) {
  const { control, below } = useTied({ hint, error, name: rest.name });
  const look = code ? `${LOOK} font-mono text-xs` : LOOK;
  return (
    <Labelled {...below} label={label}>
      <textarea className={look} {...control} {...rest} />
    </Labelled>
  );
}

interface SelectProps extends FieldProps, Omit<ComponentProps<"select">, "onChange" | "value"> {
  readonly value: string;
  /** The choices with their labels. */
  readonly choices: Readonly<Record<string, string>>;
  onChoose(value: string): void;
}

export function Select({ label, hint, error, choices, onChoose, ...rest }: SelectProps) {
  const { control, below } = useTied({ hint, error, name: rest.name });
  return (
    <Labelled {...below} label={label}>
      <select
        className={`${LOOK} h-9`}
        onChange={({ target }) => onChoose(target.value)}
        {...control}
        {...rest}
      >
        {Object.entries(choices).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

export function Checkbox({ label, hint, error, ...rest }: FieldProps & ComponentProps<"input">) {
  const { control, below } = useTied({ hint, error, name: rest.name });
  return (
    <div className="flex flex-col gap-0.5 text-sm">
      <span className="flex items-start gap-2">
        <input type="checkbox" className="mt-1 accent-act" {...control} {...rest} />
        <label htmlFor={below.id}>{label}</label>
      </span>
      <span className="ml-6 flex flex-col gap-0.5">
        <Below {...below} />
      </span>
    </div>
  );
}
