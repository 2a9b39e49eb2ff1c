/** The studio's page: connect, listen, draw. */
import { render } from 'preact'
import './styles/tokens.css'
import './styles/studio.css'
import './styles/page.css'
import { listenToKeys } from './app/keys'
import { Shell } from './app/shell'
import * as store from './app/store'
import { inside } from './stage/live'

store.listen()
listenToKeys()
render(<Shell />, document.getElementById('app')!)
store.connection.open()

// For the browser's console, and for tests that look at what a person sees.
Object.assign(window, { mocapella: { ...store, inside } })
