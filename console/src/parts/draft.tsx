// A form that a reader fills in: its values, the refusals at their fields, and the guard against losing what was typed.
import { Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { type Location, useBlocker } from 'react-router';
import { type FieldFault, type Problem, Refusal } from '../api/refusal.js';
import { useTexts } from '../texts/language.js';
import { faultOf, wordsOf } from '../texts/words-of.js';
import { Action } from './actions.js';
import { Refused } from './states.js';

type Values = Readonly<Record<string, unknown>>;

/** What a field takes from the form: its value, what to do with a change, and its fault. */
export interface FieldOf<T> {
  readonly value: T;
  readonly onChange: (value: T) => void;
  readonly error: ReactNode;
}

export interface Draft<V extends Values> {
  readonly values: V;
  readonly field: <K extends keyof V & string>(name: K) => FieldOf<V[K]>;
  readonly isBusy: boolean;
  /** Whether leaving the page would lose what was typed. */
  readonly isGuarded: boolean;
  /** The last refusal, if it concerns more than single fields. */
  readonly refusal: unknown;
  /** Sends the form. Resolves to whether the service accepted it; then nothing typed is unsaved. */
  readonly send: (event?: FormEvent) => Promise<boolean>;
  readonly discard: () => void;
}

type State = { readonly etag: string } | undefined;

export interface DraftOptions<V extends Values, S extends State> {
  /** What the form begins with. If it changes, a form without changes of its own follows it. */
  readonly from: V;
  /** The state that `from` shows. The form keeps both until the reader has seen a newer state. */
  readonly of?: S;
  /**
   * Sends what the form has, what the reader changed, and the state that they saw when they changed it. Resolves to the
   * new state, if the form shows one.
   */
  readonly send: (values: V, changed: Partial<V>, of: S) => Promise<unknown>;
  /** Maps the names of fields to the JSON pointers of the request, where they differ from `/name`. */
  readonly pointers?: Partial<Readonly<Record<keyof V & string, string>>>;
  /** Maps the codes of refusals to the field that each of them concerns. */
  readonly places?: Readonly<Record<string, keyof V & string>>;
  /** Whether leaving the page asks first. Not for passwords, codes and choices, which are soon entered again. */
  readonly isKept?: boolean;
}

/**
 * Returns a form. A refused request shows its faults at their fields and keeps what was typed. After a conflict the form
 * goes on from the state that the refusal told, with the changes of the reader.
 */
export const useDraft = <V extends Values, S extends State = undefined>({
  from,
  of,
  send,
  pointers = {},
  places = {},
  isKept = true,
}: DraftOptions<V, S>): Draft<V> => {
  const texts = useTexts();
  const form = useForm<Record<string, unknown>>({ initialValues: { ...from } });
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<unknown>();
  const isDirty = form.isDirty();
  const begun = useRef({ from, of });
  const told = useRef<unknown>(undefined);
  const edits = (): Partial<V> => {
    const changed = Object.entries(form.getValues()).filter(([name]) => form.isDirty(name));
    return Object.fromEntries(changed) as Partial<V>;
  };
  useEffect(() => {
    const isFollowed = !isDirty || (of !== undefined && of.etag === told.current);
    if (!isFollowed || isSame(begun.current, { from, of })) return;
    const kept = isDirty ? edits() : {};
    begun.current = { from, of };
    form.resetDirty({ ...from });
    form.setValues({ ...from, ...kept });
  });

  const refuse = (error: unknown) => {
    const { code = '', errors: faults = [], etag }: Partial<Problem> = error instanceof Refusal ? error.problem : {};
    told.current = etag;
    const place = places[code];
    if (place !== undefined) {
      const { title, advice } = wordsOf(texts, error);
      return form.setErrors({ [place]: `${title}. ${advice}` });
    }
    const names = Object.keys(from) as (keyof V & string)[];
    const found = faults.map(
      (fault) => [names.find((name) => isAt(fault, pointers[name] ?? `/${name}`)), fault] as const,
    );
    const wordsAt = (name: string, fault: FieldFault) =>
      form.getValues()[name] === '' && fault.code === 'too-small'
        ? texts.faults.required
        : `${itemAt(form.getValues()[name], fault)}${faultOf(texts, fault)}`;
    form.setErrors(Object.fromEntries(found.flatMap(([name, fault]) => (name ? [[name, wordsAt(name, fault)]] : []))));
    const isWhollyShown = found.length > 0 && found.every(([name]) => name !== undefined);
    setRefusal(isWhollyShown ? undefined : error);
  };

  const sendNow = async (event?: FormEvent): Promise<boolean> => {
    event?.preventDefault();
    if (isBusy) return false;
    setBusy(true);
    setRefusal(undefined);
    form.clearErrors();
    try {
      const values = form.getValues();
      const answer = await send(values as V, edits(), begun.current.of as S);
      // What the reader has typed since then goes on from the state that they have just made.
      told.current = (answer as State)?.etag;
      // Rendered at once, so that a page that leads on is not asked whether to leave.
      flushSync(() => {
        form.resetDirty(values);
        setBusy(false);
      });
      return true;
    } catch (error) {
      refuse(error);
      return false;
    } finally {
      setBusy(false);
    }
  };

  return {
    values: form.values as V,
    field: (name) => ({
      value: form.values[name] as V[typeof name],
      onChange: (value) => form.setFieldValue(name, value as never),
      error: form.errors[name],
    }),
    isBusy,
    isGuarded: isKept && isDirty,
    refusal,
    send: sendNow,
    discard: () => form.reset(),
  };
};

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Returns the item of a list that a fault concerns, to say it before the fault; nothing for other values. */
const itemAt = (value: unknown, { pointer = '' }: FieldFault): string => {
  const item = Array.isArray(value) && value[Number(/\/(\d+)(\/[a-z]+)?$/.exec(pointer)?.[1])];
  return item ? `${item}: ` : '';
};

/** Returns whether a fault concerns the value at a pointer or something inside it. */
const isAt = ({ pointer }: FieldFault, at: string): boolean => pointer === at || pointer?.startsWith(`${at}/`) === true;

const pageOf = ({ pathname, search }: Location): string => pathname + search;

/** Asks before a reader leaves a page with changes that are not saved. A router takes one guard, so only such a form has it. */
const LeaveGuard = () => {
  const { states } = useTexts();
  const blocker = useBlocker(({ currentLocation, nextLocation }) => pageOf(currentLocation) !== pageOf(nextLocation));
  useEffect(() => {
    if (blocker.state !== 'blocked') return;
    if (window.confirm(states.unsaved)) blocker.proceed();
    else blocker.reset();
  }, [blocker, states.unsaved]);
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, []);
  return null;
};

interface FormProps {
  readonly draft: Pick<Draft<Values>, 'send' | 'refusal' | 'isGuarded' | 'isBusy'>;
  /** The words of the action that sends the form, if the form has no other. */
  readonly action?: string;
  /** The look of that action. Default: `main`. */
  readonly look?: 'main' | 'plain';
  /** What happens after the service accepted the form. */
  readonly onSent?: () => void;
  readonly children: ReactNode;
}

const sendByKeys = (event: KeyboardEvent<HTMLFormElement>): void => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.currentTarget.requestSubmit();
};

/**
 * The form itself. Ctrl+Enter sends it, also from a field of several lines. After a refusal, the focus goes to the first
 * field at fault, or to the refusal, unless the reader is in a field or has gone elsewhere.
 */
export const Form = ({ draft, action, look = 'main', onSent, children }: FormProps) => {
  const element = useRef<HTMLFormElement>(null);
  // What is typed after the form was accepted was never meant to be kept, if the page leads on.
  const [isDone, setDone] = useState(false);
  const send = async (event: FormEvent) => {
    setDone(false);
    if (await draft.send(event)) {
      flushSync(() => setDone(onSent !== undefined));
      return onSent?.();
    }
    if (document.activeElement?.matches('input, textarea, select')) return;
    requestAnimationFrame(() => {
      const form = element.current;
      const { activeElement: focused, body } = document;
      if (focused !== body && !form?.contains(focused)) return;
      const fault = form?.querySelector<HTMLElement>('[aria-invalid=true]') ?? form?.querySelector('[role=alert]');
      if (fault instanceof HTMLElement) fault.focus();
    });
  };
  return (
    <form ref={element} onSubmit={(event) => void send(event)} onKeyDown={sendByKeys} noValidate>
      <Stack>
        {draft.isGuarded && !isDone && <LeaveGuard />}
        {draft.refusal !== undefined && <Refused error={draft.refusal} />}
        {children}
        {action !== undefined && (
          <Action look={look} sends isBusy={draft.isBusy}>
            {action}
          </Action>
        )}
      </Stack>
    </form>
  );
};
