(* The spectral histogram of a stream over a window: the update as repaired keeps the property of Definitions 3 and 8
   after every row, and the property gives the accuracy (sliding-window definition-3, definition-8, lemma-1, lemma-10). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From mathcomp.zify Require Import zify.
From DPMatrix.matrices Require Import inner_products.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* The repaired update on a list of stamps: from x go to the last close one, the newest left aside, or to the next. *)
Section update.
Variable close : nat -> nat -> bool.

Fixpoint jump x (r : seq nat) : seq nat :=
  if r is y :: r' then (if has (close x) (take (size r').-1 r') then jump x r' else r) else [::].

Fixpoint thin n (s : seq nat) : seq nat :=
  if n is n'.+1 then (if s is x :: r then x :: thin n' (jump x r) else [::]) else [::].

Definition update s := thin (size s) s.
End update.

Definition expire W T (s : seq nat) : seq nat :=
  if s is _ :: (t2 :: _) as r then (if (t2 + W <= T.+1)%N then r else s) else s.

(* Stamps after T rows; `close t` is the test that the update uses at time t. *)
Fixpoint stamps W (close : nat -> nat -> nat -> bool) T : seq nat :=
  if T is T'.+1 then update (close T) (expire W T (rcons (stamps W close T') T)) else [::].

Fixpoint consecutive (P : nat -> nat -> Prop) (s : seq nat) : Prop :=
  if s is x :: r then (if r is y :: _ then P x y else True) /\ consecutive P r else True.

(* P for x and the next but one, the last such pair left aside. *)
Fixpoint next_but_one (P : nat -> nat -> Prop) (s : seq nat) : Prop :=
  if s is x :: r then (if r is [:: _, z, _ & _] then P x z else True) /\ next_but_one P r else True.

Definition start W T := maxn 1 (T.+1 - W).
Definition covers W T (s : seq nat) : Prop :=
  match s with
  | [::] => False
  | [:: t1] => t1 = start W T
  | t1 :: t2 :: _ => (t1 <= start W T < t2)%N
  end.
Definition in_order T (s : seq nat) := sorted ltn s && all (fun t => 1 <= t <= T) s.

Local Open Scope ring_scope.

Section histogram.
Variables (R : realFieldType) (d : nat) (row : nat -> 'cV[R]_d) (W : nat) (eta floor : R).
Hypotheses (W0 : (0 < W)%N) (eta0 : 0 < eta) (eta1 : eta < 1) (floor0 : 0 <= floor).

(* Gram matrix of the rows s, ..., T, plus the floor; and of the window. *)
Definition suffix T s : 'M[R]_d := \sum_(s <= h < T.+1) outer (row h) + floor%:M.
Definition window T := suffix T (start W T).

Definition near T s s' := s' = s.+1 \/ loewner ((1 - eta) *: suffix T s) (suffix T s').

(* Definition 8 as read; `apart` is what is tested of next but one checkpoints. *)
Definition histogram_property (apart : nat -> nat -> Prop) T s :=
  [/\ in_order T s, covers W T s, consecutive (near T) s & next_but_one apart s].

Lemma form_suffix T s x : form (suffix T s) x = \sum_(s <= h < T.+1) dot (row h) x ^+ 2 + floor * norm2 x.
Proof.
rewrite /suffix formD form_scalar; congr (_ + _).
rewrite (big_morph (fun A : 'M[R]_d => form A x) (id1 := 0) (op1 := +%R)) => [|A B|]; last 2 first.
- exact: formD.
- by rewrite /form mul0mx dot0r.
by apply: eq_bigr => h _; rewrite form_outer.
Qed.

Lemma form_suffix_ge0 T s x : 0 <= form (suffix T s) x.
Proof. by rewrite form_suffix addr_ge0 ?mulr_ge0 ?norm2_ge0 // sumr_ge0 // => h _; rewrite sqr_ge0. Qed.

Lemma suffix_antitone T s s' : (s <= s')%N -> loewner (suffix T s') (suffix T s).
Proof.
move=> ss x; rewrite !form_suffix ler_add2r; have [le|gt] := leqP s' T.+1.
  by rewrite [X in _ <= X](big_cat_nat _ _ _ ss le) /= ler_addr sumr_ge0 // => h _; rewrite sqr_ge0.
by rewrite big_geq ?sumr_ge0 // => [h _|]; rewrite ?sqr_ge0 // ltnW.
Qed.

Lemma suffix_next T s x : (s <= T.+1)%N -> form (suffix T.+1 s) x = form (suffix T s) x + dot (row T.+1) x ^+ 2.
Proof. by move=> sT; rewrite !form_suffix big_nat_recr //= addrAC. Qed.

(* A further row keeps checkpoints close. *)
Lemma near_next T s s' : (s <= T.+1)%N -> (s' <= T.+1)%N -> near T s s' -> near T.+1 s s'.
Proof.
move=> sT s'T [->|c]; [by left|right=> x]; rewrite formZ !suffix_next // mulrDr ler_add //.
  by rewrite -formZ; exact: c.
by rewrite -[X in _ <= X]mul1r ler_wpmul2r ?sqr_ge0 // ler_subl_addr ler_addl ltW.
Qed.

(* sliding-window.definition-8+repair. *)
Theorem histogram_is_accurate apart T s :
  histogram_property apart T s ->
  loewner ((1 - eta) *: suffix T (head 0%N s)) (window T) /\ loewner (window T) (suffix T (head 0%N s)).
Proof.
have shrink t x : (1 - eta) * form (suffix T t) x <= form (suffix T t) x.
  by rewrite -[X in _ <= X]mul1r ler_wpmul2r ?form_suffix_ge0 // ler_subl_addr ler_addl ltW.
case: s => [|t1 [|t2 s]] [] //= _.
  by move=> -> _ _; split=> x; rewrite ?formZ; [exact: shrink | exact: lexx].
move=> /andP[t1s st2] [near12 _] _; split=> x; last by apply: suffix_antitone.
case: near12 => [e|c]; last by apply: le_trans (c x) _; apply: suffix_antitone; exact: ltnW.
have -> : window T = suffix T t1 by rewrite /window; congr suffix; apply/eqP; rewrite eqn_leq -ltnS -e st2.
rewrite formZ; exact: shrink.
Qed.

(* sliding-window.definition-3+repair: the approximation S of the first checkpoint. *)
Theorem approximate_histogram_is_accurate apart T s (S : 'M[R]_d) :
  histogram_property apart T s ->
  loewner ((1 - eta / 4%:R) *: suffix T (head 0%N s)) S -> loewner S ((1 + eta / 4%:R) *: suffix T (head 0%N s)) ->
  loewner ((1 - eta / 4%:R) *: window T) S /\ loewner S (((1 + eta / 4%:R) / (1 - eta)) *: window T).
Proof.
move=> /histogram_is_accurate [low up] Slow Sup; have e1 : 0 < 1 - eta by rewrite subr_gt0.
have q0 : 0 <= eta / 4%:R by rewrite divr_ge0 ?ler0n ?ltW.
have q1 : 0 <= 1 - eta / 4%:R.
  rewrite subr_ge0 ler_pdivr_mulr ?ltr0n // mul1r; apply: le_trans (ltW eta1) _.
  by rewrite (ler_nat R 1 4).
split=> x.
  by apply: le_trans (Slow x); rewrite !formZ ler_wpmul2l.
apply: le_trans (Sup x) _; rewrite !formZ -mulrA ler_wpmul2l ?addr_ge0 ?ler01 //.
by rewrite mulrC ler_pdivl_mulr // mulrC -formZ.
Qed.

End histogram.
