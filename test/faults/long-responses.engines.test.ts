import { onRealSet, startEngineSet } from '../support/engine-set.js';
import { longResponsesSuite } from './long-responses.suite.js';
import { enginesOf } from './support/sets.js';

onRealSet('on the distributed engines', () => longResponsesSuite(async () => enginesOf(await startEngineSet()), 2));
