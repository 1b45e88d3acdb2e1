// The English words of refusals: what happened and what to do, by the code of the problem, and what is wrong with a
// field, by the code of the fault.
type Words = readonly [title: string, advice: string];

export const problems = {
  unreachable: ['The service cannot be reached', 'Check the connection. Nothing that you typed is lost.'] as Words,
};

export const faults = {
  required: 'Fill in this field.',
};
