// Every command that changes a form asks `changeable`. The types of the two tables of decisions require it: what this
// file marks with @ts-expect-error does not compile.
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { type DecideChange, type DecideOthers, protocol } from '../../../src/domain/protocol/decide.js';
import { formChanges, formCommands, type protocolCommands } from '../../../src/domain/protocol/schemas.js';
import { decided, folded } from '../support/play.js';
import {
  archived,
  created,
  FORM_ID,
  formWith,
  INSTITUTION_ID,
  option,
  optionId,
  type ProtocolCommand,
  question,
  questionId,
  select,
} from '../support/protocol-samples.js';

const history = [created, formWith([select(1, [option(1), option(2)]), question(2)])];
const questions = [{ questionText: 'New', responseType: 'TEXT' as const }];

/** A request of every command. Each changes something. */
const requests: { readonly [T in keyof typeof protocolCommands]: z.input<(typeof protocolCommands)[T]> } = {
  CreateProtocol: { institutionId: INSTITUTION_ID, name: 'New' },
  CreateQuestionnaire: { institutionId: INSTITUTION_ID, name: 'New', questions, scoreRanges: [] },
  ReviseProtocol: { name: 'New' },
  CreateFormVersion: {},
  ReplaceQuestionnaire: { formId: FORM_ID, questions, scoreRanges: [] },
  AddQuestion: { formId: FORM_ID, questionText: 'New' },
  ReviseQuestion: { questionId: questionId(1), weight: 2 },
  AddOption: { questionId: questionId(1), optionText: 'New', score: 1 },
  ReviseOption: { optionId: optionId(1), score: 5 },
  ReorderQuestions: { formId: FORM_ID, ids: [questionId(2), questionId(1)] },
  ReorderOptions: { questionId: questionId(1), ids: [optionId(2), optionId(1)] },
  RemoveQuestion: { questionId: questionId(1) },
  RemoveOption: { optionId: optionId(1) },
  PublishForm: { formId: FORM_ID },
  RetireForm: { formId: FORM_ID },
  ArchiveProtocol: {},
  RestoreProtocol: {},
  CopyProtocol: { institutionId: INSTITUTION_ID, name: 'Copy', prompt: null, form: formWith([]).data },
};

describe('a change of a form', () => {
  it.each(Object.entries(requests))('is recorded by a command that asks, and by no other: %s', (type, data) => {
    const before = type === 'RestoreProtocol' ? [...history, archived] : history;
    const events = decided(protocol, folded(protocol, before), { type, data } as ProtocolCommand);
    expect(events).not.toEqual([]);
    const changes = events.filter((event) => Object.hasOwn(formChanges, event.type));
    expect(changes).toEqual(Object.hasOwn(formCommands, type) ? events : []);
  });

  it('is not decided by a function that does not ask', () => {
    // @ts-expect-error: only `changing` makes the decision of a command that changes a form.
    const decide: DecideChange['ReorderQuestions'] = () => [];
    expect(decide).toBeTypeOf('function');
  });

  it('is not returned by a command that does not ask', () => {
    const data = { formId: FORM_ID, questionIds: [] };
    // @ts-expect-error: the event changes a form that exists.
    const decide: DecideOthers['CreateFormVersion'] = () => [{ type: 'ProtocolQuestionsReordered', data }];
    expect(decide).toBeTypeOf('function');
  });
});
