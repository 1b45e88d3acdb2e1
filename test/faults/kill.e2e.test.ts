import { describe } from 'vitest';
import { killSuite } from './kill.suite.js';
import { embeddedEngines } from './support/sets.js';

describe('a service on the embedded engines that is killed under load', () => killSuite(embeddedEngines));
