import { type ComponentProps, type ReactNode, useId } from "react";

const LOOK = "w-full rounded-lg border border-line bg-card px-3 py-1.5 text-sm disabled:opacity-60";

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
}

interface LabelledProps extends FieldProps {
  readonly id: string;
  readonly children: ReactNode;
}

function Labelled({ id, label, hint, children }: LabelledProps) {
  return (
    <div className="flex min-w-0 flex-col gap-1 text-sm">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children}
      <Hint id={id} hint={hint} />
    </div>
  );
}

function Hint({ id, hint }: { readonly id: string; readonly hint: ReactNode }) {
  if (hint === undefined) return null;
  return (
    <span id={`${id}-hint`} className="text-xs text-soft">
      {hint}
    </span>
  );
}

/** Connects a control with its label and its hint. */
function tied(id: string, hint: ReactNode) {
  return hint === undefined ? { id } : { id, "aria-describedby": `${id}-hint` };
}

export function TextField({ label, hint, ...rest }: FieldProps & ComponentProps<"input">) {
  const id = useId();
  return (
    <Labelled {...{ id, label, hint }}>
      <input className={LOOK} {...tied(id, hint)} {...rest} />
    </Labelled>
  );
}

interface TextAreaProps extends FieldProps, ComponentProps<"textarea"> {
  /** For JSON and keys. */
  readonly code?: boolean;
}

export function TextArea({ label, hint, code = false, ...rest }: TextAreaProps) {
  const id = useId();
  const look = code ? `${LOOK} font-mono text-xs` : LOOK;
  return (
    <Labelled {...{ id, label, hint }}>
      <textarea className={look} {...tied(id, hint)} {...rest} />
    </Labelled>
  );
}

interface SelectProps extends FieldProps, Omit<ComponentProps<"select">, "onChange" | "value"> {
  readonly value: string;
  /** The choices with their labels. */
  readonly choices: Readonly<Record<string, string>>;
  onChoose(value: string): void;
}

export function Select({ label, hint, choices, onChoose, ...rest }: SelectProps) {
  const id = useId();
  return (
    <Labelled {...{ id, label, hint }}>
      <select
        className={LOOK}
        onChange={({ target }) => onChoose(target.value)}
        {...tied(id, hint)}
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

export function Checkbox({ label, hint, ...rest }: FieldProps & ComponentProps<"input">) {
  const id = useId();
  return (
    <div className="flex flex-col gap-0.5 text-sm">
      <span className="flex items-start gap-2">
        <input type="checkbox" className="mt-1 accent-act" {...tied(id, hint)} {...rest} />
        <label htmlFor={id}>{label}</label>
      </span>
      <span className="ml-6">
        <Hint id={id} hint={hint} />
      </span>
    </div>
  );
}
