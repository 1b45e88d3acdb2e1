// Ignores mutants that no test should kill.
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

const isWording = ({ type, value, quasis }) =>
  (type === 'StringLiteral' && value.includes(' ')) ||
  (type === 'TemplateLiteral' && quasis.some(({ value: { raw } }) => raw.includes(' ')));

const isEmpty = ({ type, value }) => type === 'StringLiteral' && value === '';

// A choice between two texts, or between a text and none, is wording, too.
const choosesWording = ({ type, consequent, alternate }) =>
  type === 'ConditionalExpression' &&
  (isWording(consequent) || isWording(alternate)) &&
  [consequent, alternate].every((each) => isWording(each) || isEmpty(each));

const DESCRIBING = ['describe', 'meta'];

const isDescription = ({ node, parent }) =>
  parent?.type === 'CallExpression' &&
  parent.arguments.includes(node) &&
  DESCRIBING.includes(parent.callee.property?.name);

const shouldIgnore = ({ node, parent }) => {
  // No test asserts wording (CONTRIBUTING.md). Codes, names and formats have no space.
  if (isWording(node) || choosesWording(node)) return 'wording';
  // They name and explain schemas in OpenAPI and in docs/events.md, whose tests are in other suites.
  if (isDescription({ node, parent })) return 'description of a schema';
  return undefined;
};

export const strykerPlugins = [declareValuePlugin(PluginKind.Ignore, 'noise', { shouldIgnore })];
