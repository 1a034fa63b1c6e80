(* Programs that draw fair coins, as probability mass functions: sequence, coin and the loop "draw again until accepted"
   as the limit of its runs of at most n rounds. What the laws of the reference samplers rest on. Outside stay the step
   from the text of a Python function to its model here, and that the entropy yields fair, independent bits. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import signed reals ereal topology normedtype sequences esum exp.
Import GRing.Theory Num.Theory Order.TTheory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
From mathcomp.algebra_tactics Require Import ring.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section mass_functions.
Variable R : realType.

Definition mass (T : choiceType) := T -> \bar R.
Definition is_law (T : choiceType) (p : mass T) := (forall x, 0 <= p x) /\ \esum_(x in setT) p x = 1.

Definition ret (T : choiceType) (x : T) : mass T := fun y => ((x == y)%:R)%:E.
Definition bind (T U : choiceType) (p : mass T) (f : T -> mass U) : mass U := fun y => \esum_(x in setT) (p x * f x y).
Definition coin (q : R) : mass bool_choiceType := fun b => (if b then q else 1 - q)%:E.

Lemma esum_scale (T : choiceType) (c : R) (f : T -> \bar R) : (0 <= c)%R -> (forall x, 0 <= f x) ->
  \esum_(x in setT) (c%:E * f x) = c%:E * \esum_(x in setT) f x.
Proof.
have le (a : R) (g : T -> \bar R) : (0 <= a)%R -> (forall x, 0 <= g x) ->
    \esum_(x in setT) (a%:E * g x) <= a%:E * \esum_(x in setT) g x.
  move=> a0 g0; apply: ub_ereal_sup => _ [F [finF _] <-]; rewrite -ge0_mule_fsumr //.
  by apply: lee_wpmul2l; [rewrite lee_fin | apply: ereal_sup_ub; exists F].
move=> c0 f0; apply/eqP; rewrite eq_le le //=.
have [->|cn] := eqVneq c 0%R; first by rewrite mul0e esum_ge0 // => x _; rewrite mul0e.
have cp : (0 < c)%R by rewrite lt_neqAle eq_sym cn.
have := le c^-1%R (fun x => c%:E * f x); rewrite invr_ge0 => /(_ c0).
under eq_esum => x _ do rewrite muleA -EFinM mulVf // mul1e.
move=> h; rewrite -lee_pdivl_mull //; apply: h => x; apply: mule_ge0 => //; rewrite lee_fin //.
Qed.

Lemma esum_swap (T U : choiceType) (f : T -> U -> \bar R) : (forall x y, 0 <= f x y) ->
  \esum_(x in setT) \esum_(y in setT) f x y = \esum_(y in setT) \esum_(x in setT) f x y.
Proof.
move=> f0; rewrite !esum_esum //.
rewrite (reindex_esum (setT `*`` (fun=> setT)) _ (fun k : U * T => (k.2, k.1))) //; split => //.
  by move=> [a b] [c e] _ _ [-> ->].
by move=> [a b] _; exists (b, a).
Qed.

Lemma law_ge0 (T : choiceType) (p : mass T) x : is_law p -> 0 <= p x. Proof. by case. Qed.

Lemma law_real (T : choiceType) (p : mass T) x : is_law p -> exists2 r : R, p x = r%:E & (0 <= r <= 1)%R.
Proof.
move=> [p0 p1]; have : p x <= 1.
  rewrite -[leRHS]p1; apply: esum_ge; exists [set x]; last by rewrite fsbig_set1.
  by split=> //; exact: finite_set1.
by case: (p x) (p0 x) => [r| |] //; rewrite !lee_fin => r0 r1; exists r; rewrite ?r0.
Qed.

Lemma ret_law (T : choiceType) (x : T) : is_law (ret x).
Proof.
split=> [y|]; first by rewrite lee_fin.
rewrite (esumID [set x]) => [|y _]; last by rewrite lee_fin.
rewrite setTI esum_set1 ?lee_fin // /ret eqxx esum1 ?adde0 // => y [_ /= yx].
by have [xy|//] := eqVneq x y; case: yx.
Qed.

Lemma esum_bool (f : bool -> \bar R) : (forall b, 0 <= f b) -> \esum_(b in setT) f b = f true + f false.
Proof.
move=> f0; rewrite (esumID [set true]) // setTI esum_set1 //; congr (_ + _).
rewrite (_ : _ `&` _ = [set false]) ?esum_set1 //.
by apply/seteqP; split=> [[[_ []]|[]]|[]].
Qed.

Lemma coin_law q : (0 <= q <= 1)%R -> is_law (coin q).
Proof.
move=> /andP[q0 q1]; have c0 b : 0 <= coin q b by rewrite /coin lee_fin; case: b => //; rewrite subr_ge0.
by split=> //; rewrite esum_bool // -EFinD addrC subrK.
Qed.

(* only first outcomes that can occur matter *)
Lemma bind_law_where (T U : choiceType) (p : mass T) (f : T -> mass U) :
  is_law p -> (forall x, p x = 0 \/ is_law (f x)) -> is_law (bind p f).
Proof.
move=> lp lf; have pf x y : 0 <= p x * f x y.
  by have [->|l] := lf x; [rewrite mul0e | apply: mule_ge0; exact: law_ge0].
split=> [y|]; first by apply: esum_ge0.
rewrite /bind esum_swap // -[RHS](proj2 lp); apply: eq_esum => x _.
have [->|l] := lf x; first by rewrite esum1 // => y _; rewrite mul0e.
have [r -> /andP[r0 _]] := law_real x lp.
by rewrite esum_scale // ?(proj2 l) ?mule1 // => y; exact: law_ge0.
Qed.

Lemma bind_law (T U : choiceType) (p : mass T) (f : T -> mass U) :
  is_law p -> (forall x, is_law (f x)) -> is_law (bind p f).
Proof. by move=> lp lf; apply: bind_law_where => // x; right. Qed.

Lemma bind_coin (U : choiceType) q (f : bool -> mass U) y : (0 <= q <= 1)%R -> (forall b, 0 <= f b y) ->
  bind (coin q) f y = q%:E * f true y + (1 - q)%:E * f false y.
Proof. by move=> q01 f0; rewrite /bind esum_bool // => b; apply: mule_ge0 => //; exact: law_ge0 (coin_law _). Qed.

(* only one first outcome leads to y *)
Lemma bind_one (T U : choiceType) (p : mass T) (f : T -> mass U) x y : (forall x, 0 <= p x) -> 0 <= f x y ->
  (forall x', x' != x -> f x' y = 0) -> bind p f y = p x * f x y.
Proof.
move=> p0 fx f0; rewrite /bind (esumID [set x]) => [|x' _]; last first.
  by have [->|/f0 ->] := eqVneq x' x; [exact: mule_ge0 | rewrite mule0].
rewrite setTI esum_set1 ?mule_ge0 // esum1 ?adde0 // => x' [_ /= x'x].
by rewrite f0 ?mule0 //; apply/eqP.
Qed.

Lemma bind_none (T U : choiceType) (p : mass T) (f : T -> mass U) y : (forall x, f x y = 0) -> bind p f y = 0.
Proof. by move=> f0; apply: esum1 => x _; rewrite f0 mule0. Qed.

(* draw again until accepted: at most n rounds, and the limit *)
Section loop.
Variables (T : choiceType) (attempt : mass [choiceType of option T]).
Fixpoint rounds (n : nat) : mass T :=
  if n is n'.+1 then bind attempt (fun o => if o is Some x then ret x else rounds n') else fun=> 0.
Definition loop : mass T := fun y => lim (fun n => rounds n y).

Lemma esum_option (f : option T -> \bar R) : (forall o, 0 <= f o) ->
  \esum_(o in setT) f o = f None + \esum_(x in setT) f (Some x).
Proof.
move=> f0; rewrite (esumID [set None]) // setTI esum_set1 //; congr (_ + _).
rewrite -(esum_image setT Some) => [|x y _ _ []] //; congr esum.
apply/seteqP; split=> [[x|] [] //= _ _|_ [x _ <-]]; [by exists x | by split].
Qed.

Lemma rounds_ge0 n y : (forall o, 0 <= attempt o) -> 0 <= rounds n y.
Proof.
move=> a0; elim: n => [//|n IH] /=; apply: esum_ge0 => -[x|] _; apply: mule_ge0 => //.
by rewrite lee_fin.
Qed.

Lemma roundsS n y : (forall o, 0 <= attempt o) -> rounds n.+1 y = attempt None * rounds n y + attempt (Some y).
Proof.
move=> a0; rewrite /= /bind esum_option => [|[x|]]; last 2 first.
- by apply: mule_ge0 => //; rewrite lee_fin.
- by apply: mule_ge0 => //; exact: rounds_ge0.
congr (_ + _); have := @bind_one _ _ (fun x => attempt (Some x)) (@ret T) y y.
by rewrite /bind => -> //; rewrite /ret ?eqxx ?mule1 ?lee_fin // => x /negbTE ->.
Qed.

Lemma loop_law (r s : R) y : (forall o, 0 <= attempt o) -> attempt None = r%:E -> (r < 1)%R ->
  attempt (Some y) = s%:E -> loop y = (s / (1 - r))%:E.
Proof.
move=> a0 aN r1 aS; have r0 : (0 <= r)%R by rewrite -lee_fin -aN.
have closed n : rounds n y = (s * (1 - r ^+ n) / (1 - r))%:E.
  elim: n => [|n IH]; first by rewrite expr0 subrr mulr0 mul0r.
  rewrite roundsS // aN aS IH -EFinM -EFinD; congr EFin.
  have nz : (1 - r != 0)%R by rewrite subr_eq0 eq_sym lt_eqF.
  by rewrite exprS; field.
rewrite /loop (_ : (fun n => rounds n y) = EFin \o (fun n => s * (1 - r ^+ n) / (1 - r))%R); last first.
  by apply/funext => n; rewrite closed.
have cv : (fun n => (s * (1 - r ^+ n) / (1 - r))%R) --> (s / (1 - r))%R.
  rewrite -[X in _ --> (X / _)%R]mulr1 -[X in _ --> (_ * X / _)%R]subr0.
  apply: cvgMl; apply: cvgMr; apply: cvgB; first exact: cvg_cst.
  by apply: cvg_expr; rewrite ger0_norm.
rewrite EFin_lim; last by apply/cvg_ex; exists (s / (1 - r))%R.
by congr EFin; exact: cvg_lim.
Qed.

(* rejection: the attempt accepts x with probability c w(x), and the w add up to Z; the loop ends with probability one *)
Lemma rejection (c Z : R) (w : T -> R) : is_law attempt -> (0 < c)%R -> (0 < Z)%R ->
  (forall x, attempt (Some x) = (c * w x)%:E) -> \esum_(x in setT) (w x)%:E = Z%:E ->
  (forall x, loop x = (w x / Z)%:E) /\ is_law loop.
Proof.
move=> la c0 Z0 aw sw; have [r aN /andP[r0 r1]] := law_real None la.
have w0 x : (0 <= w x)%R.
  by have := law_ge0 (Some x) la; rewrite aw lee_fin pmulr_rge0.
have rE : (1 - r = c * Z)%R.
  have := proj2 la; rewrite esum_option => [|o]; last exact: law_ge0.
  rewrite aN (eq_esum (b := fun x => c%:E * (w x)%:E)) => [|x _]; last by rewrite aw EFinM.
  rewrite esum_scale // ?ltW // sw -EFinM -EFinD => -[<-]; by rewrite addrC addKr.
have lE x : loop x = (w x / Z)%:E.
  rewrite (loop_law (r := r) (s := (c * w x)%R)) //; [|by move=> o; exact: law_ge0|by rewrite -subr_gt0 rE mulr_gt0].
  by congr EFin; rewrite rE -mulf_div divff ?mul1r // gt_eqF.
split=> //; split=> [x|]; first by rewrite lE lee_fin divr_ge0 // ltW.
rewrite (eq_esum (b := fun x => Z^-1%:E * (w x)%:E)) => [|x _]; last by rewrite lE mulrC EFinM.
by rewrite esum_scale ?invr_ge0 ?ltW // sw -EFinM mulVf // gt_eqF.
Qed.
End loop.
End mass_functions.
