// The fields of forms. Each takes its value, its fault and its change from a draft.
import { Checkbox, NativeSelect, PasswordInput, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { HTMLInputTypeAttribute, ReactNode } from 'react';
import { useTexts } from '../texts/language.js';
import { namesIn, SEPARATORS } from '../texts/names.js';
import type { FieldOf } from './draft.js';

interface FieldProps<T> extends FieldOf<T> {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly isRequired?: boolean;
}

interface TextProps extends FieldProps<string> {
  readonly type?: HTMLInputTypeAttribute;
  /** The purpose of the field, so that browsers fill it in (HTML, autofill). */
  readonly purpose?: string;
  readonly isNumeric?: boolean;
  /** Whether a dialog that opens gives this field the focus. */
  readonly isFirst?: boolean;
}

const shared = <T,>({ label, hint, error, isRequired = false }: FieldProps<T>) => ({
  label,
  description: hint,
  error,
  required: isRequired,
});

export const TextField = ({ type = 'text', purpose, isNumeric, ...field }: TextProps) => (
  <TextInput
    {...shared(field)}
    type={type}
    value={field.value}
    onChange={({ currentTarget }) => field.onChange(currentTarget.value)}
    {...(purpose && { autoComplete: purpose })}
    {...(isNumeric && { inputMode: 'numeric' })}
  />
);

export const PasswordField = ({ purpose, isFirst, ...field }: TextProps) => {
  const { actions } = useTexts();
  return (
    <PasswordInput
      {...shared(field)}
      value={field.value}
      onChange={({ currentTarget }) => field.onChange(currentTarget.value)}
      {...(isFirst && { 'data-autofocus': true })}
      visibilityToggleButtonProps={{ 'aria-label': actions.showPassword, tabIndex: 0 }}
      {...(purpose && { autoComplete: purpose })}
    />
  );
};

/** A text of several lines. */
export const LongField = (field: FieldProps<string>) => (
  <Textarea
    {...shared(field)}
    autosize
    minRows={2}
    value={field.value}
    onChange={({ currentTarget }) => field.onChange(currentTarget.value)}
  />
);

export interface Choice<T extends string = string> {
  readonly value: T;
  readonly label: string;
}

export const ChoiceField = <T extends string>({
  choices,
  ...field
}: FieldProps<T> & { readonly choices: readonly Choice<T>[] }) => (
  <NativeSelect
    {...shared(field)}
    data={[...choices]}
    value={field.value}
    onChange={({ currentTarget }) => {
      const chosen = choices.find(({ value }) => value === currentTarget.value);
      if (chosen) field.onChange(chosen.value);
    }}
  />
);

/** Several names, chosen from suggestions or typed. */
export const TextsField = ({
  suggestions,
  ...field
}: FieldProps<readonly string[]> & { readonly suggestions: readonly string[] }) => (
  <TagsInput
    {...shared(field)}
    data={[...suggestions]}
    value={[...field.value]}
    onChange={(texts) => field.onChange(namesIn(texts, suggestions))}
    splitChars={SEPARATORS}
    acceptValueOnBlur
    clearable={false}
  />
);

export const CheckField = (field: FieldProps<boolean>) => (
  <Checkbox
    {...shared(field)}
    checked={field.value}
    onChange={({ currentTarget }) => field.onChange(currentTarget.checked)}
  />
);
